import { FIELD_MANAGER, FORK_FINALIZER } from '../common/api/names.ts'
import { at, type JsonObject, type KubeObject, objectOr } from '../common/api/object.ts'
import type { ExperimentPolicy } from '../common/api/policy.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../common/api/types.ts'
import type { KubeError } from '../common/kube/errors.ts'
import { RESOURCES } from '../common/kube/resources.ts'
import { ownerReference } from '../common/workload/identity.ts'
import type { SpecSchema } from '../common/workload/kind.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../common/workload/neighbours.ts'
import type { Traffic } from '../common/workload/services.ts'
import type { Rival } from '../controller/reconcile/observe.ts'
import type { Kube } from '../controller/reconcile/reconcile.ts'
import { ANY_SCHEMA } from './builders.ts'

interface Given {
  readonly experiment: ExperimentDeployment
  readonly source?: KubeObject | undefined
  readonly schema?: SpecSchema | undefined
  readonly traffic?: Traffic
}

/** Told in another way than by their names. */
const OTHERWISE: ReadonlySet<string> = new Set(['Ready', 'PolicyCompliant'])

const withFinalizers = (of: ExperimentDeployment, finalizers: readonly string[]): ExperimentDeployment => ({
  ...of,
  metadata: { ...of.metadata, finalizers },
})

/** A world of one experiment: a few variables and a diary of every write, without behaviour of its own. */
export function recordingKube({ experiment, source, schema = ANY_SCHEMA, traffic }: Given) {
  const diary: string[] = []
  const applied: KubeObject[] = []
  const world = {
    experiment: experiment as ExperimentDeployment | undefined,
    source,
    traffic: traffic ?? { services: [], slices: [] },
    neighbours: NO_NEIGHBOURS as Neighbours | undefined,
    referring: [] as readonly KubeObject[],
    stored: undefined as KubeObject | undefined,
    pinned: undefined as KubeObject | undefined,
    repairAfterMs: 0,
    failure: undefined as KubeError | undefined,
    policies: [] as readonly ExperimentPolicy[],
    namespaces: {} as Readonly<Record<string, Readonly<Record<string, string>>>>,
    rivals: [] as readonly Rival[],
    isExcluded: false,
    isPlaceTaken: false,
  }
  const store = (fork: KubeObject): KubeObject => {
    const { stored } = world
    const same = stored && JSON.stringify(stored.spec) === JSON.stringify(fork.spec)
    const generation = (stored?.metadata.generation ?? 0) + (same ? 0 : 1)
    const managedFields = [{ manager: FIELD_MANAGER, operation: 'Apply', time: '2026-11-21T10:00:00Z' }]
    const metadata = { ...fork.metadata, uid: stored?.metadata.uid ?? 'uid-of-fork', generation, managedFields }
    world.stored = { ...fork, metadata, ...(stored?.status ? { status: stored.status } : {}) }
    return world.stored
  }
  const kube: Kube = {
    experiment: () => world.experiment,
    source: async () => world.source && { source: world.source, referents: [] },
    isAbsent: () => false,
    pinned: async () => world.pinned,
    repairAfterMs: () => world.repairAfterMs,
    repaired: () => undefined,
    present: async () => {
      diary.push('look for the fork')
      if (world.failure) throw world.failure
      return world.stored
    },
    policies: () => world.policies,
    namespace: async (name) => ({ name, labels: world.namespaces[name] ?? {} }),
    isExcluded: () => world.isExcluded,
    rivals: () => ({ others: world.rivals, asOf: 0 }),
    takePlace: () => !world.isPlaceTaken,
    judged: () => undefined,
    occupant: () => world.stored,
    schema: () => schema,
    traffic: () => world.traffic,
    neighbours: async () => world.neighbours,
    referring: () => world.referring,
    applyFork: async ({ kind }, fork, { force }) => {
      diary.push(`apply ${kind} ${fork.metadata.name}${force ? '' : ' unless it is somebody else’s'}`)
      if (world.failure) throw world.failure
      applied.push(fork)
      return store(fork)
    },
    shrinkFork: async (_kind, fork, replicas) => {
      diary.push(`shrink ${fork.kind} ${fork.metadata.name} to ${replicas}`)
      return store({ ...fork, spec: { ...objectOr(fork.spec), replicas } })
    },
    hold: async (of) => {
      diary.push('hold the resource')
      world.experiment = withFinalizers(of, [...(of.metadata.finalizers ?? []), FORK_FINALIZER])
    },
    release: async (of) => {
      diary.push('let the resource go')
      world.experiment = withFinalizers(
        of,
        (of.metadata.finalizers ?? []).filter((each) => each !== FORK_FINALIZER),
      )
    },
    deleteFork: async (_kind, fork) => {
      diary.push(`delete ${fork.kind} ${fork.metadata.name}`)
      world.stored = undefined
    },
    pin: async (of, name, data) => {
      diary.push(`pin ${name}`)
      world.pinned = {
        ...RESOURCES.ControllerRevision,
        metadata: { name, ownerReferences: [ownerReference(of)] },
        data,
      }
    },
    unpin: async ({ metadata }) => {
      diary.push(`unpin ${metadata.name}`)
      world.pinned = undefined
    },
    applyStatus: async (of, status: ExperimentDeploymentStatus) => {
      const ready = status.conditions?.find(({ type }) => type === 'Ready')
      const others = status.conditions?.filter(({ type, status: value }) => !OTHERWISE.has(type) && value === 'True')
      const compliant = status.conditions?.find(({ type }) => type === 'PolicyCompliant')
      const told = [
        `Ready=${ready?.status} ${ready?.reason}`,
        ...(others ?? []).map(({ type }) => type),
        ...(compliant?.status === 'False' ? ['not PolicyCompliant'] : []),
      ]
      diary.push(`status ${told.join(' ')}`)
      world.experiment = { ...(world.experiment ?? of), status }
    },
    notify: (_of, _outcome, { type, reason }) => diary.push(`event ${type} ${reason}`),
    log: () => undefined,
  }
  return {
    kube,
    diary,
    applied,
    world,
    /** The fork's controller and pods catch up. */
    forkBecomesReady() {
      diary.push('the fork becomes ready')
      const { stored } = world
      if (!stored) throw new Error('there is no fork yet')
      const replicas = Number(at(stored, 'spec', 'replicas'))
      const counts: JsonObject = {
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
        readyReplicas: replicas,
      }
      world.stored = { ...stored, status: { observedGeneration: stored.metadata.generation, ...counts } }
    },
    /** Somebody writes the fork. */
    someoneChangesTheFork(change: JsonObject) {
      diary.push('somebody changes the fork')
      const { stored } = world
      if (!stored) throw new Error('there is no fork yet')
      const generation = (stored.metadata.generation ?? 0) + 1
      const spec = { ...objectOr(stored.spec), ...objectOr(change.spec) }
      world.stored = { ...stored, ...change, spec, metadata: { ...stored.metadata, generation } }
    },
  }
}
