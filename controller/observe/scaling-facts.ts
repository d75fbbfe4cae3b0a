import { sinceOf } from '../../common/api/conditions.ts'
import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import { knownObject, knownValue } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { ScalingFacts } from '../../common/facts/facts.ts'
import type { ForkFacts } from '../../common/facts/own-objects.ts'
import { templateLabels } from '../../common/fork/derive.ts'
import { sizeRecordOf } from '../../common/scaling/record.ts'
import { readyEndpoints } from '../../common/surroundings/endpoints.ts'
import { selectsPods } from '../../common/surroundings/pod-labels.ts'
import type { ServiceView } from '../../common/surroundings/traffic.ts'
import { forkName } from '../../common/workload/identity.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { replicasOf, statusCount } from '../../common/workload/status.ts'
import type { Key } from '../runtime/queue.ts'
import type { Ports } from './ports.ts'

/** An experiment, and the kind of its source. */
export interface Sized {
  readonly experiment: ExperimentDeployment
  readonly adapter: WorkloadKind | undefined
  /** whether the source may be read. A run that has made it smaller was allowed to do that */
  readonly mayRead: boolean
}

/**
 * The kind of the source of an experiment whose passes must know the present sizes of source and fork; undefined: none
 * must. The strategy makes the source smaller, or the source is smaller, as the status or the label on the source says.
 * The label counts also where the strategy, the status or the component is gone: the source needs its pods back.
 */
export function sizedKind({ workloads }: Pick<Ports, 'workloads'>, of: Sized): WorkloadKind | undefined {
  const { experiment, adapter, mayRead } = of
  const { metadata, spec, status } = experiment
  if (adapter?.kind !== 'Deployment') return undefined
  const isWanted = mayRead && spec.strategy?.canary?.scaleDownSource === true
  if (isWanted || status?.strategy?.scaled) return adapter
  const source = workloads.cached(adapter, sourceNamespaceOf(experiment), spec.sourceRef.name)
  return source && sizeRecordOf(source)?.experiment === metadata.uid ? adapter : undefined
}

/** What a pass knows already. */
interface Known {
  readonly experiment: ExperimentDeployment
  /** from `sizedKind` */
  readonly adapter: WorkloadKind
  /** as the API server has it now */
  readonly fork: Promise<ForkFacts>
}

/**
 * The source as it is now, and for how long nothing has changed in what the next move of pods waits for. @throws
 * KubeError also for an experiment that is being deleted: its fork must not go before the source has its pods
 */
export async function scalingFacts(
  { workloads, surroundings, steps }: Pick<Ports, 'workloads' | 'surroundings' | 'steps'>,
  key: Key,
  { experiment, adapter, fork: reading }: Known,
): Promise<ScalingFacts> {
  const [namespace, { name }] = [sourceNamespaceOf(experiment), experiment.spec.sourceRef]
  const [found, { fork }] = await Promise.all([workloads.live(adapter, namespace, name), reading])
  const source = knownObject(found)
  const both = [knownValue(source), knownValue(fork)]
  const sizes = both.map((object) => object && [object.metadata.uid, replicasOf(object)])
  const available = both.map((object) => object && statusCount(object, 'availableReplicas'))
  const { services, slices } = surroundings.traffic(key, namespace)
  const listed = services.filter(selectingSome(adapter, both)).map((service) => {
    const { listedPods, ofFork } = readyEndpoints(slices, service, forkName(name, experiment.metadata.uid))
    return [service.name, listedPods, ofFork]
  })
  return {
    source,
    sizedMs: steps.unchangedMs(key, 'sizes', JSON.stringify(sizes)),
    listedMs: steps.unchangedMs(key, 'listed', JSON.stringify([available, listed])),
    shortMs: steps.shortMs(key, sinceOf(experiment.status, 'TooFewPods')),
  }
}

/** Returns whether a Service selects the pods of one of `workloads`. */
function selectingSome({ podReach }: WorkloadKind, workloads: readonly (KubeObject | undefined)[]) {
  const pods = workloads
    .filter((workload) => workload !== undefined)
    .map((workload) => ({
      labels: templateLabels(workload),
      hasPerPodLabel: (key: string, value: string) => podReach.hasPerPodLabel(workload, key, value),
    }))
  return (service: ServiceView): boolean => pods.some((each) => selectsPods(service, each))
}
