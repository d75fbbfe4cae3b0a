import { choice, text, type Vars, wholeNumber } from '../common/env.ts'
import { LOG_LEVELS } from '../common/log.ts'

/** @throws Error that names variable, range and finding. */
export const readConfig = (vars: Vars) => ({
  /** 0: a free one, told in the log */
  port: wholeNumber(vars, 'PORT', { fallback: 9443, min: 0, max: 65_535 }),
  /** plain HTTP: /livez and /readyz */
  healthPort: wholeNumber(vars, 'HEALTH_PORT', { fallback: 8080, min: 0, max: 65_535 }),
  /** the address to listen on; all by default */
  host: text(vars, 'HOST', { fallback: '::' }),
  certFile: text(vars, 'TLS_CERT_FILE', { fallback: '/etc/webhook/tls/tls.crt' }),
  keyFile: text(vars, 'TLS_KEY_FILE', { fallback: '/etc/webhook/tls/tls.key' }),
  /** empty: the ServiceAccount of the pod we run in */
  kubeconfig: vars.KUBECONFIG || undefined,
  /** how often a kind that the cluster does not serve is asked for: Argo Rollouts may be installed later */
  kindProbeMs: 1_000 * wholeNumber(vars, 'KIND_PROBE_SECONDS', { fallback: 30, min: 1, max: 600 }),
  logLevel: choice(vars, 'LOG_LEVEL', { choices: LOG_LEVELS, fallback: 'info' }),
})
