import type { KubeObject } from '../api/object.ts'
import { at } from '../json/json.ts'
import { count } from '../text/count.ts'
import { withRollingUpdate } from './dependent-defaults.ts'
import type { Health, WorkloadKind } from './kind.ts'
import {
  APPS_KIND,
  conditionMessage,
  conditionOf,
  PLAIN_POD_REACH,
  pick,
  replicasOf,
  stalledBy,
  statusCount,
  surgeOf,
  takenDown,
} from './status.ts'

/** Set by the Deployment controller. */
const REVISION = 'deployment.kubernetes.io/revision'

/** `Deployment` of Kubernetes. */
export const deployment: WorkloadKind = {
  ...APPS_KIND,
  kind: 'Deployment',
  plural: 'deployments',
  // not `paused`: a paused Deployment creates no ReplicaSet
  inheritedSpec: (spec) => pick(spec, ['minReadySeconds', 'progressDeadlineSeconds', 'strategy']),
  fixedSpec: { revisionHistoryLimit: 1 },
  mutableFields: undefined,
  withOwnedDefaults: (spec) => withRollingUpdate(APPS_KIND.withOwnedDefaults(spec)),
  podReach: PLAIN_POD_REACH,
  hasProgressDeadline: true,
  watchedAnnotations: [REVISION],
  health,
  takesDown: (source) =>
    isRecreated(source) ? replicasOf(source) : takenDown(rollingUpdate(source), replicasOf(source)),
  surge: (workload) => (isRecreated(workload) ? 0 : surgeOf(rollingUpdate(workload), replicasOf(workload))),
  waitsForEnd: isRecreated,
  holdsBack: (source) => (at(source, 'spec', 'paused') === true ? 'spec.paused' : undefined),
  revision: ({ metadata }) => metadata.annotations?.[REVISION],
}

function isRecreated(workload: KubeObject): boolean {
  return at(workload, 'spec', 'strategy', 'type') === 'Recreate'
}

const rollingUpdate = (workload: KubeObject) => at(workload, 'spec', 'strategy', 'rollingUpdate')

function health(fork: KubeObject): Health {
  const stalled = stalledBy(fork, 'ReplicaFailure')
  if (stalled) return stalled
  const overdue = conditionOf(fork, 'Progressing', 'False')
  if (overdue?.reason === 'ProgressDeadlineExceeded')
    return { is: 'stalled', isOverdue: true, reason: 'ProgressDeadlineExceeded', message: conditionMessage(overdue) }
  if (at(fork, 'spec', 'paused') === true)
    return { is: 'unready', reason: 'Paused', message: `${progress(fork)}; paused: changes do not reach the pods` }
  const wanted = replicasOf(fork)
  const counts = countsOf(fork)
  return counts.every((count) => count === wanted)
    ? { is: 'ready', reason: 'Available', message: `${wanted} of ${wanted} pods available` }
    : {
        is: 'progressing',
        reason: 'PodsNotReady',
        message: progress(fork),
      }
}

/** All pods, those of the current revision, and the available ones. */
const countsOf = (fork: KubeObject) =>
  ['replicas', 'updatedReplicas', 'availableReplicas'].map((field) => statusCount(fork, field))

/** What is still to be done, without counts that tell nothing. */
function progress(fork: KubeObject): string {
  const wanted = replicasOf(fork)
  const [total = 0, updated = 0, available = 0] = countsOf(fork)
  if (updated === total && total > wanted) return `scaling down from ${count(total, 'pod')} to ${wanted}`
  const pods = `${available} of ${wanted} pods available`
  if (updated < total) return `${pods}, ${updated} of ${total} up to date`
  return total < wanted ? `${pods}, ${total === 0 ? 'none created yet' : `${total} created`}` : pods
}
