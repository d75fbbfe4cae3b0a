import { text, type Vars, wholeNumber } from '../common/env.ts'
import { LOG_LEVELS, type LogLevel } from '../common/log.ts'

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
  logLevel: logLevel(vars),
})

function logLevel(vars: Vars): LogLevel {
  const found = text(vars, 'LOG_LEVEL', { fallback: 'info' })
  const level = LOG_LEVELS.find((known) => known === found)
  if (level) return level
  throw new Error(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, found ${JSON.stringify(found)}`)
}
