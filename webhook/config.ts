import { choice, text, type Vars, wholeNumber } from '../common/env.ts'
import { LOG_LEVELS } from '../common/log.ts'
import { TLS_VERSIONS } from './tls.ts'

/** @throws Error that names variable, range and finding. */
export const readConfig = (vars: Vars) => ({
  /** 0: a free one, told in the log */
  port: wholeNumber(vars, 'PORT', { fallback: 9443, min: 0, max: 65_535 }),
  /** plain HTTP: /livez, /readyz and /metrics */
  healthPort: wholeNumber(vars, 'HEALTH_PORT', { fallback: 8080, min: 0, max: 65_535 }),
  /** the address to listen on; all by default */
  host: text(vars, 'HOST', { fallback: '::' }),
  certFile: text(vars, 'TLS_CERT_FILE', { fallback: '/etc/webhook/tls/tls.crt' }),
  keyFile: text(vars, 'TLS_KEY_FILE', { fallback: '/etc/webhook/tls/tls.key' }),
  minVersion: choice(vars, 'TLS_MIN_VERSION', { choices: TLS_VERSIONS, fallback: 'TLSv1.3' }),
  callers: callers(vars),
  /** how long to serve on when asked to stop: until nobody is sent here any more */
  drainMs: 1_000 * wholeNumber(vars, 'DRAIN_SECONDS', { fallback: 8, min: 0, max: 25 }),
  /** empty: the ServiceAccount of the pod we run in */
  kubeconfig: vars.KUBECONFIG || undefined,
  /** how often a kind that the cluster does not serve is asked for: Argo Rollouts may be installed later */
  kindProbeMs: 1_000 * wholeNumber(vars, 'KIND_PROBE_SECONDS', { fallback: 30, min: 1, max: 600 }),
  logLevel: choice(vars, 'LOG_LEVEL', { choices: LOG_LEVELS, fallback: 'info' }),
})

/** Who may ask: holders of a certificate of `caFile` that bears one of `names`. */
export interface Callers {
  /** PEM */
  readonly caFile: string
  readonly names: readonly string[]
}

/** Undefined: anybody. An authority vouches for many, so it is of no use without names. */
function callers(vars: Vars): Callers | undefined {
  const names = (vars.CLIENT_NAMES ?? '').split(',').map((name) => name.trim())
  const given = names.filter((name) => name !== '')
  if (!vars.CLIENT_CA && given.length === 0) return undefined
  if (!vars.CLIENT_CA) throw new Error('CLIENT_CA must be set with CLIENT_NAMES, found nothing')
  if (given.length === 0) throw new Error('CLIENT_NAMES must be set with CLIENT_CA, found nothing')
  return { caFile: vars.CLIENT_CA, names: given }
}
