import { choice, text, type Vars, wholeNumber } from '../common/program/env.ts'
import { LOG_LEVELS, type LogLevel } from '../common/program/log.ts'

/** What an installation may set. Everything else is a constant in the file that uses it. */
export interface Config {
  /** a kubeconfig file; undefined for the service account of the pod */
  readonly kubeconfig: string | undefined
  /** how many passes run at once */
  readonly workers: number
  /** how often it is checked whether the cluster serves an absent kind now: Argo Rollouts may be installed later */
  readonly kindProbeMs: number
  readonly logLevel: LogLevel
  /** the pod's name, for Events */
  readonly instance: string
  /** the namespace of the pod; the webhooks do not review experiments there */
  readonly namespace: string
  /** the port of /livez, /readyz and /metrics, plain HTTP; 0 for any free port, which the log names */
  readonly probePort: number
  /** the address on which the probes listen */
  readonly host: string
}

/** Reads the environment. @throws Error that names the variable, its range and its value: `WORKERS must be a whole number from 1 to 64, found "many"`. */
export const readConfig = (vars: Vars): Config => ({
  kubeconfig: vars.KUBECONFIG || undefined,
  workers: wholeNumber(vars, 'WORKERS', { fallback: 16, min: 1, max: 64 }),
  kindProbeMs: 1_000 * wholeNumber(vars, 'KIND_PROBE_SECONDS', { fallback: 30, min: 1, max: 600 }),
  logLevel: choice(vars, 'LOG_LEVEL', { choices: LOG_LEVELS, fallback: 'info' }),
  instance: text(vars, 'HOSTNAME', { fallback: 'experiment-controller' }),
  namespace: text(vars, 'POD_NAMESPACE', { fallback: 'experiment-controller-system' }),
  probePort: wholeNumber(vars, 'PROBE_PORT', { fallback: 8081, min: 0, max: 65_535 }),
  host: text(vars, 'HOST', { fallback: '::' }),
})
