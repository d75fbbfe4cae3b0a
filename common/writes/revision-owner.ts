import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { ownershipMetadata } from '../workload/identity.ts'

/**
 * As of a fork, but a revision without a controller must not have the label of the selector: a fork that is a
 * StatefulSet would adopt it as one of its own revisions, and could not create pods.
 */
export function ownerOfRevision(
  experiment: ExperimentDeployment,
): Pick<KubeObject['metadata'], 'labels' | 'ownerReferences'> {
  const { labels = {}, ...owner } = ownershipMetadata(experiment)
  const { [EXPERIMENT_ID]: _selected, ...others } = labels
  return { labels: others, ...owner }
}
