import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { primaryOf } from '../../common/workload/hazards.ts'
import { forkName, isForkOf } from '../../common/workload/identity.ts'
import type { SpecSchema, WorkloadKind } from '../../common/workload/kind.ts'
import type { Neighbours } from '../../common/workload/neighbours.ts'
import { isPinned, pinnedIn } from '../../common/workload/pinned.ts'
import { referrerOf } from '../../common/workload/referrer.ts'
import { workloadKind } from '../../common/workload/registry.ts'
import type { Traffic } from '../../common/workload/services.ts'

/** `namespace/name` of an experiment. */
export type Key = string

/** All that one pass may know. Only `observe` fills it. */
export interface Observed {
  readonly now: Date
  readonly experiment: ExperimentDeployment
  /** undefined for a kind this version cannot fork */
  readonly kind: WorkloadKind | undefined
  /** whether the cluster does not serve that kind now */
  readonly isKindAbsent: boolean
  readonly source: KubeObject | undefined
  /** a Rollout's stable ReplicaSet, the target of its workloadRef */
  readonly referents: readonly KubeObject[]
  /** the ControllerRevision that keeps a pinned base */
  readonly pinned: KubeObject | undefined
  /** ours by uid, label and field manager */
  readonly fork: KubeObject | undefined
  /** whatever else has the fork's name */
  readonly occupant: KubeObject | undefined
  readonly schema: SpecSchema | undefined
  readonly traffic: Traffic
  /** undefined where nobody could tell now */
  readonly neighbours: Neighbours | undefined
  /** name of the workload that serves in the place of a source at zero: Flagger's */
  readonly primary: string | undefined
  /** `rollout/cart`: a workload that takes its template from the source */
  readonly referrer: string | undefined
  /** how long the next repair has to wait, because the last ones did not hold */
  readonly repairAfterMs: number
}

/** A source, and the other objects its template may be in. */
export interface SourceSeen {
  readonly source: KubeObject
  readonly referents: readonly KubeObject[]
}

/** What `observe` asks of the cluster; from caches unless it says otherwise. */
export interface Reads {
  experiment(key: Key): ExperimentDeployment | undefined
  /** whole, with what it refers to; from the API server where no copy of its present state is at hand */
  source(kind: WorkloadKind, namespace: string, name: string): Promise<SourceSeen | undefined>
  isAbsent(kind: WorkloadKind): boolean
  /** live: nobody watches them. @throws KubeError */
  pinned(namespace: string, name: string): Promise<KubeObject | undefined>
  repairAfterMs(key: Key): number
  /** whole if it carries a fork's label, else its metadata */
  occupant(kind: WorkloadKind, namespace: string, name: string): KubeObject | undefined
  /** of workloads of `namespace` that may take their template from another, what is needed to see from which */
  referring(namespace: string): readonly KubeObject[]
  schema(kind: WorkloadKind): SpecSchema | undefined
  traffic(namespace: string): Traffic
  /** of a minute ago at most; undefined where the API server cannot tell now. Never throws for its failures. */
  neighbours(namespace: string): Promise<Neighbours | undefined>
}

/** What there is, for one pass; undefined when the experiment is gone or going, which leaves nothing to do. */
export async function observe(kube: Reads, key: Key, now: Date): Promise<Observed | undefined> {
  const experiment = kube.experiment(key)
  if (!experiment || experiment.metadata.deletionTimestamp) return undefined
  const { sourceRef } = experiment.spec
  const { namespace, uid } = experiment.metadata
  const kind = workloadKind(sourceRef.kind)
  const name = forkName(sourceRef.name, uid)
  const occupant = kind && kube.occupant(kind, namespace, name)
  const isOurs = occupant !== undefined && isForkOf(experiment, occupant)
  const [seen, neighbours] = await Promise.all([
    kind && kube.source(kind, namespace, sourceRef.name),
    kube.neighbours(namespace),
  ])
  const primary = seen && primaryOf(seen.source)
  // one that follows has none, unless it was pinned until now
  const mayBePinned = isPinned(experiment) || experiment.status?.source?.pinned === true
  const pinned = mayBePinned ? await kube.pinned(namespace, name) : undefined
  return {
    now,
    experiment,
    kind,
    isKindAbsent: kind !== undefined && kube.isAbsent(kind),
    source: seen?.source,
    referents: seen?.referents ?? [],
    pinned: pinnedIn(experiment, pinned) && pinned,
    fork: isOurs ? occupant : undefined,
    occupant: isOurs ? undefined : occupant,
    schema: kind && kube.schema(kind),
    traffic: kube.traffic(namespace),
    neighbours,
    primary: primary !== undefined && kind && kube.occupant(kind, namespace, primary) ? primary : undefined,
    referrer: seen && referrerOf(seen.source, kube.referring(namespace)),
    repairAfterMs: kube.repairAfterMs(key),
  }
}
