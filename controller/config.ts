import { choice, text, type Vars, wholeNumber } from '../common/env.ts'
import { LOG_LEVELS, type LogLevel } from '../common/log.ts'

/** What a deployment may set; everything else is a constant beside the code that it is about. */
export interface Config {
  /** a kubeconfig file; undefined: the service account of the pod we run in */
  readonly kubeconfig: string | undefined
  readonly workers: number
  /** how often a kind that the cluster does not serve is asked for: Argo Rollouts may be installed later */
  readonly kindProbeMs: number
  readonly logLevel: LogLevel
  /** the pod's name, for Events */
  readonly instance: string
  /** the namespace of the pod: who may create experiments there is reviewed by nobody */
  readonly namespace: string
  /** plain HTTP: /livez and /readyz; 0: a free one, told in the log */
  readonly probePort: number
  /** the address of the probes */
  readonly host: string
}

/** @throws Error that names variable, range and finding: `WORKERS must be a whole number from 1 to 64, found "many"`. */
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
