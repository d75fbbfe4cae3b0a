import { servedNamespaces } from '../common/policy/policy.ts'
import { installedComponents } from '../common/program/components.ts'
import { choice, type Vars, wholeNumber } from '../common/program/env.ts'
import { LOG_LEVELS } from '../common/program/log.ts'

/** What an installation may set. Everything else is a constant in the file that uses it. */
export type Config = ReturnType<typeof readConfig>

/** Reads the environment. @throws Error that names the variable, its range and its value */
export const readConfig = (vars: Vars) => ({
  /** a kubeconfig file; undefined for the service account of the pod */
  kubeconfig: vars.KUBECONFIG || undefined,
  /** how many passes run at once */
  workers: wholeNumber(vars, 'WORKERS', { fallback: 16, min: 1, max: 64 }),
  /** how often it is checked whether the cluster serves an absent kind now: Argo Rollouts may be installed later */
  kindProbeMs: 1_000 * wholeNumber(vars, 'KIND_PROBE_SECONDS', { fallback: 30, min: 1, max: 600 }),
  logLevel: choice(vars, 'LOG_LEVEL', { choices: LOG_LEVELS, fallback: 'info' }),
  installed: installedComponents(vars),
  /** the pod's name, for Events */
  instance: vars.HOSTNAME || 'experiment-controller',
  /**
   * the namespace of the pod, where the webhooks do not review experiments, and the one namespace to serve, if not all
   */
  ...servedNamespaces(vars.POD_NAMESPACE || 'experiment-controller-system', vars.WATCH_NAMESPACE || undefined),
  /** the directory of the credentials of providers */
  credentials: vars.ANALYSIS_CREDENTIALS || '/etc/experiment-analysis/credentials',
  /** whether providers may be on this machine, as on a laptop */
  loopback: choice(vars, 'ANALYSIS_LOOPBACK', { choices: ['refuse', 'allow'], fallback: 'refuse' }),
  /** the port of /livez, /readyz and /metrics, plain HTTP; 0 for any free port, which the log names */
  probePort: wholeNumber(vars, 'PROBE_PORT', { fallback: 8081, min: 0, max: 65_535 }),
  /** the address on which the probes listen; undefined: all */
  host: vars.HOST || undefined,
})
