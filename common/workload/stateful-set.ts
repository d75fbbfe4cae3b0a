import { roundedUp } from '../api/amount.ts'
import type { KubeObject } from '../api/object.ts'
import { inheritedMetadata } from '../api/template-metadata.ts'
import { at, isEmpty, isObject, listOr, objectOr } from '../json/json.ts'
import { kubectl } from '../text/kubectl.ts'
import type { Health, WorkloadKind } from './kind.ts'
import { APPS_KIND, PLAIN_POD_REACH, PROGRESS_DEADLINE_SECONDS, pick, replicasOf, statusCount } from './status.ts'

/** `StatefulSet` of Kubernetes. */
export const statefulSet: WorkloadKind = {
  ...APPS_KIND,
  kind: 'StatefulSet',
  plural: 'statefulsets',
  inheritedSpec: (spec) => ({
    ...pick(spec, ['minReadySeconds', 'ordinals', 'serviceName']),
    ...(Array.isArray(spec.volumeClaimTemplates)
      ? { volumeClaimTemplates: spec.volumeClaimTemplates.map(claimTemplate) }
      : {}),
  }),
  fixedSpec: {
    // OrderedReady keeps a broken pod even after the override is corrected: kubernetes/kubernetes#67250
    podManagementPolicy: 'Parallel',
    // a partition or OnDelete would prevent updates of the pods
    updateStrategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 1,
    // otherwise PVCs outlive the experiment
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
  },
  mutableFields: [
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  ],
  podReach: { ...PLAIN_POD_REACH, hasPerPodLabel },
  hasProgressDeadline: false,
  tellsRefusalsInEvents: true,
  takesDown: (source) => Math.max(1, roundedUp(rollingUpdate(source).maxUnavailable, replicasOf(source)) ?? 1),
  // a pod and its successor have the same name
  surge: () => 0,
  waitsForEnd: () => true,
  holdsBack,
  health,
  revision: (source) => {
    const revision = at(source, 'status', 'updateRevision')
    return typeof revision === 'string' ? revision : undefined
  },
  isRevisionKnown: (source) => statusCount(source, 'observedGeneration') >= (source.metadata.generation ?? 0),
}

const rollingUpdate = (source: KubeObject) => objectOr(at(source, 'spec', 'updateStrategy', 'rollingUpdate'))

function holdsBack(source: KubeObject): string | undefined {
  if (at(source, 'spec', 'updateStrategy', 'type') === 'OnDelete') return 'spec.updateStrategy.type: OnDelete'
  return Number(rollingUpdate(source).partition ?? 0) > 0 ? 'spec.updateStrategy.rollingUpdate.partition' : undefined
}

/** Each pod has its name and its ordinal as labels. */
function hasPerPodLabel(workload: KubeObject, key: string, value: string): boolean {
  const first = Number(at(workload, 'spec', 'ordinals', 'start') ?? 0)
  const isPod = (ordinal: string) =>
    /^\d+$/.test(ordinal) && Number(ordinal) >= first && Number(ordinal) < first + replicasOf(workload)
  if (key === 'apps.kubernetes.io/pod-index') return isPod(value)
  const { name } = workload.metadata
  return (
    key === 'statefulset.kubernetes.io/pod-name' && value.startsWith(`${name}-`) && isPod(value.slice(name.length + 1))
  )
}

/** A claim template without its status, and without the metadata that forks must not inherit. */
function claimTemplate(claim: unknown): unknown {
  if (!isObject(claim)) return claim
  const { status: _status, metadata, ...rest } = claim
  const { labels, annotations } = inheritedMetadata(metadata)
  return {
    ...rest,
    metadata: {
      name: at(metadata, 'name'),
      ...(isEmpty(labels) ? {} : { labels }),
      ...(isEmpty(annotations) ? {} : { annotations }),
    },
  }
}

function health(fork: KubeObject, sinceAppliedMs: number): Health {
  const [wanted, status] = [replicasOf(fork), objectOr(fork.status)]
  const counts = ['readyReplicas', 'currentReplicas', 'updatedReplicas'].map((count) => statusCount(fork, count))
  const [ready = 0, , updated = 0] = counts
  if (counts.every((count) => count === wanted) && status.currentRevision === status.updateRevision)
    return { is: 'ready', reason: 'Available', message: `${wanted} of ${wanted} pods ready` }
  const message = `${ready} of ${wanted} pods ready, ${updated} up to date`
  const leftMs = PROGRESS_DEADLINE_SECONDS * 1_000 - sinceAppliedMs
  if (leftMs > 0) return { is: 'progressing', reason: 'PodsNotReady', message, recheckAfterMs: leftMs }
  const look = kubectl('describe', { ...fork.metadata, name: `statefulset/${fork.metadata.name}` })
  const why = `after ${PROGRESS_DEADLINE_SECONDS} s; see its Events: ${look}`
  return { is: 'stalled', isOverdue: true, reason: 'ProgressDeadlineExceeded', message: `${message} ${why}` }
}

/** The names of a StatefulSet's claim templates. */
export const claimNames = (workload: KubeObject): readonly string[] =>
  listOr(at(workload, 'spec', 'volumeClaimTemplates')).flatMap((claim) => {
    const name = at(claim, 'metadata', 'name')
    return typeof name === 'string' ? [name] : []
  })
