import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { forkName, isForkOf } from '../../common/workload/identity.ts'
import type { SpecSchema, WorkloadKind } from '../../common/workload/kind.ts'
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
  readonly source: KubeObject | undefined
  /** ours by uid, label and field manager */
  readonly fork: KubeObject | undefined
  /** whatever else has the fork's name */
  readonly occupant: KubeObject | undefined
  readonly schema: SpecSchema | undefined
  readonly traffic: Traffic
}

/** What `observe` asks of the cluster; from caches unless it says otherwise. */
export interface Reads {
  experiment(key: Key): ExperimentDeployment | undefined
  /** whole; from the API server where no copy of its present generation is at hand */
  source(kind: WorkloadKind, namespace: string, name: string): Promise<KubeObject | undefined>
  /** whole if it carries a fork's label, else its metadata */
  occupant(kind: WorkloadKind, namespace: string, name: string): KubeObject | undefined
  schema(kind: WorkloadKind): SpecSchema | undefined
  traffic(namespace: string): Traffic
}

/** What there is, for one pass; undefined when the experiment is gone or going, which leaves nothing to do. */
export async function observe(kube: Reads, key: Key, now: Date): Promise<Observed | undefined> {
  const experiment = kube.experiment(key)
  if (!experiment || experiment.metadata.deletionTimestamp) return undefined
  const { sourceRef } = experiment.spec
  const { namespace, uid } = experiment.metadata
  const kind = workloadKind(sourceRef.kind)
  const occupant = kind && kube.occupant(kind, namespace, forkName(sourceRef.name, uid))
  const isOurs = occupant !== undefined && isForkOf(experiment, occupant)
  return {
    now,
    experiment,
    kind,
    source: kind && (await kube.source(kind, namespace, sourceRef.name)),
    fork: isOurs ? occupant : undefined,
    occupant: isOurs ? undefined : occupant,
    schema: kind && kube.schema(kind),
    traffic: kube.traffic(namespace),
  }
}
