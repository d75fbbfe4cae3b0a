import type { KubeObject } from '../api/object.ts'
import type { Health, WorkloadKind } from './kind.ts'
import { conditionOf, countOf, ownTemplate, PLAIN_REACH, pick, replicasOf, wordsOf } from './status.ts'

/** `Deployment` of `apps/v1`. */
export const deployment: WorkloadKind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  // not `paused`: a paused Deployment makes no ReplicaSet
  takeOver: (spec) => pick(spec, ['minReadySeconds', 'progressDeadlineSeconds', 'strategy']),
  fixed: { revisionHistoryLimit: 1 },
  kept: [],
  mutable: undefined,
  bans: [],
  reach: PLAIN_REACH,
  references: () => [],
  template: ownTemplate,
  watched: undefined,
  pulse: ({ metadata }) => `${metadata.generation}`,
  observedGeneration: (fork) => countOf(fork, 'observedGeneration'),
  silentAfterMs: undefined,
  health,
  revision: ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
}

function health(fork: KubeObject): Health {
  const failure = conditionOf(fork, 'ReplicaFailure', 'True')
  if (failure) return { is: 'stalled', reason: 'ReplicaFailure', message: wordsOf(failure) }
  const overdue = conditionOf(fork, 'Progressing', 'False')
  if (overdue?.reason === 'ProgressDeadlineExceeded')
    return { is: 'stalled', reason: 'ProgressDeadlineExceeded', message: wordsOf(overdue) }
  const wanted = replicasOf(fork)
  const counts = ['replicas', 'updatedReplicas', 'availableReplicas'].map((count) => countOf(fork, count))
  const [total = 0, updated = 0, available = 0] = counts
  return counts.every((count) => count === wanted)
    ? { is: 'ready', reason: 'Available', message: `${wanted} of ${wanted} pods available` }
    : {
        is: 'progressing',
        reason: 'PodsNotReady',
        message: `${available} of ${wanted} pods available, ${updated} of ${total} up to date`,
      }
}
