import type { KubeObject } from '../../common/api/object.ts'
import {
  type Among,
  applicable,
  type ExperimentPolicy,
  limitedBy,
  type NamespaceView,
  sharesSourcesWith,
  sourceNamespaceOf,
} from '../../common/api/policy.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { primaryOf } from '../../common/workload/hazards.ts'
import { forkName, isApart, isForkOf, isHeld, isLeaving } from '../../common/workload/identity.ts'
import type { SpecSchema, WorkloadKind } from '../../common/workload/kind.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../common/workload/neighbours.ts'
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
  /** whether the namespace of the resource is one in which nobody reviews rights */
  readonly isExcluded: boolean
  /** undefined where we may not see which policies apply */
  readonly policing: Policing | undefined
}

/** The policies that apply, and what they judge by. */
export interface Policing {
  readonly policies: readonly ExperimentPolicy[]
  readonly namespace: NamespaceView
  readonly sourceNamespace: NamespaceView
  /** whether experiments of the one namespace may fork sources of the other */
  readonly isShared: boolean
  readonly rivals: Rivals
}

/** Another experiment of the source or of the namespace. */
export interface Rival {
  readonly experiment: ExperimentDeployment
  /** of its fork; undefined: it has none */
  readonly replicas: number | undefined
}

/** The others, where a policy asks for them. */
export interface Rivals {
  readonly others: readonly Rival[]
  /** as of which place taken; a later one makes this out of date */
  readonly asOf: number
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
  /** live: for what must not be deleted, or let go, on the word of a cache. @throws KubeError */
  present(kind: WorkloadKind, namespace: string, name: string): Promise<KubeObject | undefined>
  policies(): readonly ExperimentPolicy[]
  /** of a minute ago at most; undefined where we may not see it. @throws KubeError */
  namespace(name: string): Promise<NamespaceView | undefined>
  isExcluded(namespace: string): boolean
  rivals(experiment: ExperimentDeployment, among: Among): Rivals
  /** of workloads of `namespace` that may take their template from another, what is needed to see from which */
  referring(namespace: string): readonly KubeObject[]
  schema(kind: WorkloadKind): SpecSchema | undefined
  traffic(namespace: string): Traffic
  /** of a minute ago at most; undefined where the API server cannot tell now. Never throws for its failures. */
  neighbours(namespace: string): Promise<Neighbours | undefined>
}

/**
 * What there is, for one pass; undefined when the experiment is gone, or going and has no fork elsewhere that must go
 * first: that leaves nothing to do.
 */
export async function observe(kube: Reads, key: Key, now: Date): Promise<Observed | undefined> {
  const experiment = kube.experiment(key)
  if (!experiment || (isLeaving(experiment) && !isHeld(experiment))) return undefined
  const { sourceRef } = experiment.spec
  const { uid } = experiment.metadata
  const namespace = sourceNamespaceOf(experiment)
  const kind = workloadKind(sourceRef.kind)
  const name = forkName(sourceRef.name, uid)
  // who leaves cares for its fork alone: nothing else that cannot be read may hold it up
  const isStaying = !isLeaving(experiment)
  const consent = isStaying ? await consentTo(kube, experiment) : undefined
  // whether there is such a source is for those to know who may fork it
  const isOpen = isStaying && (consent?.isShared ?? !isApart(experiment))
  const [seen, neighbours, occupant] = await Promise.all([
    isOpen && kind ? kube.source(kind, namespace, sourceRef.name) : undefined,
    isStaying ? kube.neighbours(namespace) : NO_NEIGHBOURS,
    kind && (isStaying ? kube.occupant(kind, namespace, name) : kube.present(kind, namespace, name)),
  ])
  const isOurs = occupant !== undefined && isForkOf(experiment, occupant)
  const primary = seen && primaryOf(seen.source)
  // one that follows has none, unless it was pinned until now
  const mayBePinned = isPinned(experiment) || experiment.status?.source?.pinned === true
  const pinned = isStaying && mayBePinned ? await kube.pinned(experiment.metadata.namespace, name) : undefined
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
    isExcluded: kube.isExcluded(experiment.metadata.namespace),
    // last of all: who else has a place is out of date soonest
    policing: consent && { ...consent, rivals: rivalsFor(kube, experiment, consent.policies) },
  }
}

/** Which policies apply and what they say of the source's namespace; undefined where we may not see that. @throws KubeError */
async function consentTo(kube: Reads, experiment: ExperimentDeployment) {
  const [own, sources] = [experiment.metadata.namespace, sourceNamespaceOf(experiment)]
  const all = kube.policies()
  // without policies no label matters, and none is asked for
  const view = async (name: string) => (all.length === 0 ? { name, labels: {} } : kube.namespace(name))
  const [namespace, sourceNamespace] = await Promise.all([view(own), view(sources)])
  if (!namespace || !sourceNamespace) return undefined
  return {
    policies: applicable(all, namespace, sourceNamespace),
    namespace,
    sourceNamespace,
    isShared: sharesSourcesWith(all, sourceNamespace, own),
  }
}

function rivalsFor(kube: Reads, experiment: ExperimentDeployment, policies: readonly ExperimentPolicy[]): Rivals {
  const among = limitedBy(policies)
  return among.source || among.namespace ? kube.rivals(experiment, among) : NO_RIVALS
}

const NO_RIVALS: Rivals = { others: [], asOf: 0 }
