import { at, isObject, type KubeObject, listOr } from '../api/object.ts'
import type { Health, WorkloadKind } from './kind.ts'

/** `Deployment` of `apps/v1`. */
export const deployment: WorkloadKind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  // not `paused`: a paused Deployment makes no ReplicaSet
  copied: ['template', 'minReadySeconds', 'progressDeadlineSeconds', 'strategy'],
  fixed: { revisionHistoryLimit: 1 },
  health,
  revision: ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
}

function health(fork: KubeObject): Health {
  const failure = condition(fork, 'ReplicaFailure', 'True')
  if (failure) return { is: 'stalled', reason: 'ReplicaFailure', message: messageOf(failure) }
  const overdue = condition(fork, 'Progressing', 'False')
  if (overdue?.reason === 'ProgressDeadlineExceeded')
    return { is: 'stalled', reason: 'ProgressDeadlineExceeded', message: messageOf(overdue) }
  const wanted = Number(at(fork, 'spec', 'replicas') ?? 1)
  const counts = ['replicas', 'updatedReplicas', 'availableReplicas'].map(
    (count) => Number(at(fork, 'status', count) ?? 0), // a status omits zeros
  )
  const [total = 0, updated = 0, available = 0] = counts
  return counts.every((count) => count === wanted)
    ? { is: 'ready', reason: 'Available', message: `${wanted} of ${wanted} pods available` }
    : {
        is: 'progressing',
        reason: 'PodsNotReady',
        message: `${available} of ${wanted} pods available, ${updated} of ${total} up to date`,
      }
}

const condition = (fork: KubeObject, type: string, status: string) =>
  listOr(at(fork, 'status', 'conditions'))
    .filter(isObject)
    .find((found) => found.type === type && found.status === status)

const messageOf = (found: Readonly<Record<string, unknown>>): string => String(found.message ?? found.reason ?? '')
