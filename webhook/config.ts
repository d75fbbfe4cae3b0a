import { servedNamespaces } from '../common/policy/policy.ts'
import { installedComponents } from '../common/program/components.ts'
import { choice, type Vars, wholeNumber } from '../common/program/env.ts'
import { LOG_LEVELS } from '../common/program/log.ts'
import { POD_RULES } from './ratchet/assessment.ts'
import { TLS_VERSIONS } from './tls/server.ts'

/**
 * The configuration from environment variables. @throws Error that names the variable, its valid range and its value.
 */
export const readConfig = (vars: Vars) => ({
  /** 0: any free port, which the log names */
  port: wholeNumber(vars, 'PORT', { fallback: 9443, min: 0, max: 65_535 }),
  /** serves /livez, /readyz and /metrics over plain HTTP */
  healthPort: wholeNumber(vars, 'HEALTH_PORT', { fallback: 8080, min: 0, max: 65_535 }),
  /** the address to listen on; undefined: all */
  host: vars.HOST || undefined,
  certFile: vars.TLS_CERT_FILE || '/etc/webhook/tls/tls.crt',
  keyFile: vars.TLS_KEY_FILE || '/etc/webhook/tls/tls.key',
  minVersion: choice(vars, 'TLS_MIN_VERSION', { choices: TLS_VERSIONS, fallback: 'TLSv1.3' }),
  callers: callers(vars),
  /** the directory of the secrets by which the API server proves who it is; while it is absent, anybody may call */
  pathSecretsDirectory: vars.PATH_SECRETS_DIR || '/etc/webhook/path',
  /** how long to keep serving after SIGTERM, so that the Service has time to stop sending new requests here */
  drainMs: 1_000 * wholeNumber(vars, 'DRAIN_SECONDS', { fallback: 8, min: 0, max: 25 }),
  /** the namespace of the pod, from which nothing is forked, and the one namespace to serve, if not all */
  ...servedNamespaces(vars.POD_NAMESPACE || 'experiment-controller-system', vars.WATCH_NAMESPACE || undefined),
  /** undefined: use the ServiceAccount of this pod */
  kubeconfig: vars.KUBECONFIG || undefined,
  /** how often to look for a kind that the cluster does not serve yet: Argo Rollouts may be installed later */
  kindProbeMs: 1_000 * wholeNumber(vars, 'KIND_PROBE_SECONDS', { fallback: 30, min: 1, max: 600 }),
  installed: installedComponents(vars),
  /** what becomes of values that the API server refuses according to our rules; a newer one may accept them */
  podRules: choice(vars, 'POD_RULES', { choices: POD_RULES, fallback: 'refuse' }),
  logLevel: choice(vars, 'LOG_LEVEL', { choices: LOG_LEVELS, fallback: 'info' }),
})

/**
 * The clients that may call the webhook: their certificate is signed by `caFile` (PEM) and has one of `names`, because
 * an authority signs certificates for many clients. Undefined: any client may call.
 */
function callers(vars: Vars): { readonly caFile: string; readonly names: readonly string[] } | undefined {
  const names = (vars.CLIENT_NAMES ?? '').split(',').map((name) => name.trim())
  const given = names.filter((name) => name !== '')
  if (!vars.CLIENT_CA && given.length === 0) return undefined
  if (!vars.CLIENT_CA) throw new Error('CLIENT_CA must be set with CLIENT_NAMES, found nothing')
  if (given.length === 0) throw new Error('CLIENT_NAMES must be set with CLIENT_CA, found nothing')
  return { caFile: vars.CLIENT_CA, names: given }
}
