import type { KubeObject } from '../api/object.ts'
import type { Health, WorkloadKind } from './kind.ts'
import {
  APPS_KIND,
  conditionOf,
  messageOf,
  PLAIN_POD_REACH,
  pick,
  replicasOf,
  stalledBy,
  statusCount,
} from './status.ts'

export const deployment: WorkloadKind = {
  ...APPS_KIND,
  kind: 'Deployment',
  plural: 'deployments',
  // not `paused`: a paused Deployment creates no ReplicaSet
  inheritedSpec: (spec) => pick(spec, ['minReadySeconds', 'progressDeadlineSeconds', 'strategy']),
  fixedSpec: { revisionHistoryLimit: 1 },
  mutableFields: undefined,
  podReach: PLAIN_POD_REACH,
  health,
  revision: ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
}

function health(fork: KubeObject): Health {
  const stalled = stalledBy(fork, 'ReplicaFailure')
  if (stalled) return stalled
  const overdue = conditionOf(fork, 'Progressing', 'False')
  if (overdue?.reason === 'ProgressDeadlineExceeded')
    return { is: 'stalled', reason: 'ProgressDeadlineExceeded', message: messageOf(overdue) }
  const wanted = replicasOf(fork)
  const counts = ['replicas', 'updatedReplicas', 'availableReplicas'].map((count) => statusCount(fork, count))
  const [total = 0, updated = 0, available = 0] = counts
  return counts.every((count) => count === wanted)
    ? { is: 'ready', reason: 'Available', message: `${wanted} of ${wanted} pods available` }
    : {
        is: 'progressing',
        reason: 'PodsNotReady',
        message: `${available} of ${wanted} pods available, ${updated} of ${total} up to date`,
      }
}
