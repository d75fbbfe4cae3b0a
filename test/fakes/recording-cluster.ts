import { ABSENT, known, knownOrAbsent } from '../../common/api/known.ts'
import { FIELD_MANAGER, FORK_FINALIZER } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import type { OtherExperiment, RefusedFork } from '../../common/facts/facts.ts'
import { withHash } from '../../common/fork/derive.ts'
import type { PodWarning } from '../../common/fork/pod-trouble.ts'
import { at, type JsonObject, listOr, objectOr } from '../../common/json/json.ts'
import type { KubeError } from '../../common/kube/client/errors.ts'
import type { SpecSchema } from '../../common/override/spec-schema.ts'
import type { ExperimentPolicy } from '../../common/policy/policy.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../common/surroundings/neighbours.ts'
import type { TrafficView } from '../../common/surroundings/traffic.ts'
import type { Write } from '../../common/writes/write.ts'
import type { AnalysisPort, Ports } from '../../controller/observe/ports.ts'
import type { PassPorts } from '../../controller/reconcile.ts'
import { ANY_SCHEMA, installing } from '../builders.ts'
import { SHORT_TURNS } from '../virtual-time.ts'

interface Given {
  readonly experiment: ExperimentDeployment
  readonly source?: KubeObject | undefined
  readonly schema?: SpecSchema | undefined
  readonly traffic?: TrafficView
}

/** Conditions that the diary does not show by their names. */
const SPECIAL: ReadonlySet<string> = new Set(['Ready', 'PolicyCompliant'])

/** The line of the diary for a write. */
function lineFor(write: Write): string {
  const { metadata, kind } = 'object' in write ? write.object : write.of
  switch (write.verb) {
    case 'apply':
      return `${write.role === 'newFork' ? 'create' : 'apply'} ${kind} ${metadata.name}`
    case 'create':
      return `create ${write.role === 'analysisRun' ? 'run' : 'revision'} ${metadata.name}`
    case 'patch': {
      const replicas = at(write.patch, 'spec', 'replicas')
      if (write.role === 'fork') return `scale ${kind} ${metadata.name} down to ${replicas}`
      const finalizers = listOr(at(write.patch, 'metadata', 'finalizers'))
      return finalizers.includes(FORK_FINALIZER) ? 'add the finalizer' : 'remove the finalizer'
    }
    case 'jsonPatch':
      return `resize ${kind} ${metadata.name}`
    case 'delete':
      return write.role === 'fork' ? `delete ${kind} ${metadata.name}` : `delete revision ${metadata.name}`
  }
}

/** The ports for one experiment. It has a few variables and a diary of every write, but does not simulate a cluster. */
export function recordingCluster({ experiment, source, schema = ANY_SCHEMA, traffic }: Given) {
  const diary: string[] = []
  const applied: KubeObject[] = []
  const world = {
    experiment: experiment as ExperimentDeployment | undefined,
    source,
    traffic: traffic ?? { services: [], slices: [] },
    neighbours: NO_NEIGHBOURS as Neighbours | undefined,
    referring: [] as readonly KubeObject[],
    followed: undefined as readonly string[] | undefined,
    stored: undefined as KubeObject | undefined,
    revision: undefined as KubeObject | undefined,
    /** the last analysis run that was created */
    run: undefined as KubeObject | undefined,
    /** what analyses are read from; undefined: the component is not installed */
    analysis: undefined as AnalysisPort | undefined,
    podRefusal: undefined as string | undefined,
    podWarnings: [] as readonly PodWarning[],
    driftBackoffMs: 0,
    contestedMs: 0,
    shareWaitMs: 0,
    /** the error of every apply, and of every live read of the fork */
    failure: undefined as KubeError | undefined,
    /** errors by the verb and role of a write, such as `patch experiment` */
    refusals: {} as Readonly<Record<string, KubeError>>,
    policies: [] as readonly ExperimentPolicy[],
    namespaces: {} as Readonly<Record<string, Readonly<Record<string, string>>>>,
    others: [] as readonly OtherExperiment[],
    isExcluded: false,
    isPlaceTaken: false,
    repairs: 0,
    refused: undefined as RefusedFork | undefined,
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
  const write = async (of: Write): Promise<KubeObject | undefined> => {
    const refusal = world.refusals[`${of.verb} ${of.role}`]
    if (refusal) throw refusal
    diary.push(lineFor(of))
    switch (of.verb) {
      case 'apply':
        if (world.failure) throw world.failure
        applied.push(withHash(of.object))
        return store(withHash(of.object))
      case 'create':
        if (of.role === 'analysisRun') world.run = of.object
        else world.revision = of.object
        return of.object
      case 'jsonPatch':
        return of.of
      case 'patch': {
        if (of.role === 'fork') {
          const spec = { ...objectOr(of.of.spec), ...objectOr(at(of.patch, 'spec')) }
          const kept = store({ ...of.of, spec })
          // its pods go at once
          if (spec.replicas === 0)
            world.stored = { ...kept, status: { observedGeneration: kept.metadata.generation ?? 0 } }
          return kept
        }
        const finalizers = listOr(at(of.patch, 'metadata', 'finalizers')).map(String)
        const present = world.experiment ?? experiment
        world.experiment = { ...present, metadata: { ...present.metadata, finalizers } }
        return world.experiment
      }
      case 'delete':
        if (of.role === 'fork') world.stored = undefined
        else world.revision = undefined
        return undefined
    }
  }
  const ports: Ports = {
    steps: {
      elapsedMs: () => undefined,
      shortMs: () => undefined,
      unchangedMs: () => 0,
      leavingMs: () => undefined,
      noteLeaving: () => undefined,
    },
    get installed() {
      return world.analysis ? installing('analysis') : installing()
    },
    pods: () => [],
    service: async () => undefined,
    dryRun: async (_key, _kind, { of }) => ({ of, changesNothing: ABSENT }),
    experiments: { get: async () => world.experiment, doubt: () => diary.push('doubt the cache') },
    workloads: {
      source: async () => world.source && { object: world.source, referents: [] },
      isAbsent: () => false,
      isDoubted: () => false,
      cached: (_kind, _namespace, name) => (world.stored?.metadata.name === name ? world.stored : undefined),
      live: async (_kind, _namespace, name) => {
        if (name === experiment.spec.sourceRef.name) return world.source
        diary.push('read the fork')
        if (world.failure) throw world.failure
        return world.stored
      },
      referrers: () => world.referring,
    },
    revision: async () => world.revision,
    podRefusal: async () => knownOrAbsent(world.podRefusal),
    podWarnings: async () => known(world.podWarnings),
    schemaOf: () => schema,
    policies: {
      list: () => world.policies,
      namespace: async (name) => ({ name, labels: world.namespaces[name] ?? {} }),
      isExcluded: () => world.isExcluded,
      others: () => ({ others: world.others, asOf: 0 }),
    },
    surroundings: {
      traffic: () => world.traffic,
      follow: (_key, _namespace, services) => {
        world.followed = [...services]
      },
      neighbours: async () => world.neighbours,
    },
    drift: { waitMs: () => world.driftBackoffMs, contestedMs: () => world.contestedMs },
    pins: { waitMs: () => 0, contestedMs: () => 0 },
    unreported: new Map(),
    refused: { get: () => world.refused },
    get analysis() {
      return world.analysis
    },
  }
  const applyStatus = async (of: ExperimentDeployment, status: ExperimentDeploymentStatus): Promise<void> => {
    const ready = status.conditions?.find(({ type }) => type === 'Ready')
    const others = status.conditions?.filter(({ type, status: value }) => !SPECIAL.has(type) && value === 'True')
    const compliant = status.conditions?.find(({ type }) => type === 'PolicyCompliant')
    const words = [
      `Ready=${ready?.status} ${ready?.reason}`,
      ...(others ?? []).map(({ type }) => type),
      ...(compliant?.status === 'False' ? ['not PolicyCompliant'] : []),
    ]
    diary.push(`status ${words.join(' ')}`)
    world.experiment = { ...(world.experiment ?? of), status }
  }
  const cluster: PassPorts = {
    ports,
    writer: {
      write,
      isCurrent: async () => true,
      reserve: () => !world.isPlaceTaken,
      noteRepair: () => {
        world.repairs += 1
      },
      noteRefused: (fork) => {
        world.refused = fork
      },
    },
    reporter: {
      countMove: () => undefined,
      countPromotion: () => undefined,
      emitEventAbout: (_source, _of, { type, reason }) => diary.push(`event ${type} ${reason} about the source`),
      applyStatus,
      shareWaitMs: () => world.shareWaitMs,
      progressWaitMs: () => world.shareWaitMs,
      noteCurrent: () => undefined,
      isAsWritten: () => false,
      repairWaitMs: () => 0,
      noteRepair: () => undefined,
      emitEvent: (_of, _conclusion, { type, reason }) => diary.push(`event ${type} ${reason}`),
      recordPolicy: () => undefined,
      log: () => undefined,
    },
    yielder: SHORT_TURNS,
    yieldToWrites: async () => undefined,
  }
  return {
    cluster,
    diary,
    applied,
    world,
    /** All pods of the fork become ready, and its status says so. */
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
    /** Another client writes the fork. */
    anotherClientChangesTheFork(change: JsonObject) {
      diary.push('another client changes the fork')
      const { stored } = world
      if (!stored) throw new Error('there is no fork yet')
      const generation = (stored.metadata.generation ?? 0) + 1
      const spec = { ...objectOr(stored.spec), ...objectOr(change.spec) }
      world.stored = { ...stored, ...change, spec, metadata: { ...stored.metadata, generation } }
    },
  }
}
