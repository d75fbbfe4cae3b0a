import { at, isObject, type KubeObject, listOr, objectOr } from '../api/object.ts'
import type { Health, WorkloadKind } from './kind.ts'
import { lastingMetadata } from './metadata.ts'
import { countOf, ownTemplate, PLAIN_REACH, pick, replicasOf } from './status.ts'

/** A StatefulSet has no progress deadline of its own; this is a Deployment's default. */
const PROGRESS_DEADLINE_MS = 600_000

/** `StatefulSet` of `apps/v1`. */
export const statefulSet: WorkloadKind = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  takeOver: (spec) => ({
    ...pick(spec, ['minReadySeconds', 'ordinals', 'serviceName']),
    ...(Array.isArray(spec.volumeClaimTemplates)
      ? { volumeClaimTemplates: spec.volumeClaimTemplates.map(claimTemplate) }
      : {}),
  }),
  fixed: {
    // OrderedReady keeps a broken pod even when the override is repaired: kubernetes/kubernetes#67250
    podManagementPolicy: 'Parallel',
    // a partition and OnDelete keep changes from the pods
    updateStrategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 1,
    // else claims outlive the experiment
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
  },
  kept: [],
  mutable: [
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  ],
  bans: [],
  reach: { ...PLAIN_REACH, wears, hasPeers: true },
  references: () => [],
  template: ownTemplate,
  watched: undefined,
  pulse: ({ metadata }) => `${metadata.generation}`,
  observedGeneration: (fork) => countOf(fork, 'observedGeneration'),
  silentAfterMs: undefined,
  health,
  revision: (source) => {
    const revision = at(source, 'status', 'updateRevision')
    return typeof revision === 'string' ? revision : undefined
  },
}

/** Its pods are numbered: each has its name and its number as a label. */
function wears(workload: KubeObject, key: string, value: string): boolean {
  const first = Number(at(workload, 'spec', 'ordinals', 'start') ?? 0)
  const isPod = (ordinal: string) =>
    /^\d+$/.test(ordinal) && Number(ordinal) >= first && Number(ordinal) < first + replicasOf(workload)
  if (key === 'apps.kubernetes.io/pod-index') return isPod(value)
  const { name } = workload.metadata
  return (
    key === 'statefulset.kubernetes.io/pod-name' && value.startsWith(`${name}-`) && isPod(value.slice(name.length + 1))
  )
}

/** Without its status, and without metadata that is the source's alone; `volumeClaimTemplates` is replaced as a whole. */
function claimTemplate(claim: unknown): unknown {
  if (!isObject(claim)) return claim
  const { status: _status, metadata, ...rest } = claim
  const { labels, annotations } = lastingMetadata(metadata)
  return {
    ...rest,
    metadata: {
      name: at(metadata, 'name'),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    },
  }
}

function health(fork: KubeObject, sinceAppliedMs: number): Health {
  const wanted = replicasOf(fork)
  const status = objectOr(fork.status)
  const counts = ['readyReplicas', 'currentReplicas', 'updatedReplicas'].map((count) => countOf(fork, count))
  const [ready = 0, , updated = 0] = counts
  if (counts.every((count) => count === wanted) && status.currentRevision === status.updateRevision)
    return { is: 'ready', reason: 'Available', message: `${wanted} of ${wanted} pods ready` }
  const message = `${ready} of ${wanted} pods ready, ${updated} up to date`
  const leftMs = PROGRESS_DEADLINE_MS - sinceAppliedMs
  if (leftMs > 0) return { is: 'progressing', reason: 'PodsNotReady', message, lookAgainMs: leftMs }
  const why = `after ${PROGRESS_DEADLINE_MS / 1000} s; its Events say why: kubectl describe statefulset/${fork.metadata.name}`
  return { is: 'stalled', reason: 'ProgressDeadlineExceeded', message: `${message} ${why}` }
}

/** The names of the claims that a StatefulSet makes for each pod. */
export const claimNames = (workload: KubeObject): readonly string[] =>
  listOr(at(workload, 'spec', 'volumeClaimTemplates')).flatMap((claim) => {
    const name = at(claim, 'metadata', 'name')
    return typeof name === 'string' ? [name] : []
  })
