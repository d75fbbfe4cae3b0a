import { sourceNamespaceOf } from '../../common/api/defaults.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Neighbours } from '../../common/surroundings/neighbours.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { replicasOf } from '../../common/workload/status.ts'
import type { Ports } from './ports.ts'
import { placeOfFork } from './run-facts.ts'

/**
 * The neighbours of the fork of `experiment`. Where a blue-green is about to get pods, they are as they are now: an
 * autoscaler decides how many, and may be as new as the experiment. The plan was told by those of that moment, too.
 */
export function neighboursFor(
  { surroundings, workloads }: Pick<Ports, 'surroundings' | 'workloads'>,
  experiment: ExperimentDeployment,
  adapter: WorkloadKind | undefined,
): Promise<Neighbours | undefined> {
  const { metadata, spec, status } = experiment
  const namespace = sourceNamespaceOf(experiment)
  const fork = adapter && workloads.cached(adapter, ...placeOfFork(experiment))
  const isNew = !fork || replicasOf(fork) === 0 || status?.observedGeneration !== metadata.generation
  return spec.strategy?.blueGreen !== undefined && isNew
    ? surroundings.neighbours(namespace, 0)
    : surroundings.neighbours(namespace)
}
