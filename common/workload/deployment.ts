import type { KubeObject } from '../api/object.ts'
import type { Health, WorkloadKind } from './kind.ts'
import { conditionOf, messageOf, ownTemplate, PLAIN_POD_REACH, pick, replicasOf, statusCount } from './status.ts'

/** `Deployment` of `apps/v1`. */
export const deployment: WorkloadKind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  // not `paused`: a paused Deployment creates no ReplicaSet
  inheritedSpec: (spec) => pick(spec, ['minReadySeconds', 'progressDeadlineSeconds', 'strategy']),
  fixedSpec: { revisionHistoryLimit: 1 },
  inheritedAnnotations: [],
  mutableFields: undefined,
  bans: [],
  podReach: PLAIN_POD_REACH,
  references: () => [],
  template: ownTemplate,
  watchProjection: undefined,
  baseFingerprint: ({ metadata }) => `${metadata.generation}`,
  observedGeneration: (fork) => statusCount(fork, 'observedGeneration'),
  controllerTimeoutMs: undefined,
  health,
  revision: ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
}

function health(fork: KubeObject): Health {
  const failure = conditionOf(fork, 'ReplicaFailure', 'True')
  if (failure) return { is: 'stalled', reason: 'ReplicaFailure', message: messageOf(failure) }
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
