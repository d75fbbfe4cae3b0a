import { CR_NAME, EXPERIMENT_ID, IS_EXPERIMENT, OWNER_NAMESPACE, OWNER_UID, ROLE, SCALED } from '../api/names.ts'
import { type KubeObject, UNREAD } from '../api/object.ts'
import { controllerOf } from '../workload/identity.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { omit, pick } from '../workload/status.ts'

/** The labels of a workload that say whether it is a fork, and whose. */
const OF_FORKS: readonly string[] = [EXPERIMENT_ID, CR_NAME, ROLE, IS_EXPERIMENT, OWNER_NAMESPACE, OWNER_UID]

/** With the label of a source that a canary has made smaller. It is no part of a base. */
const watchedLabels = ({ inheritedLabels }: WorkloadKind): readonly string[] => [
  ...OF_FORKS,
  SCALED,
  ...inheritedLabels,
]

/**
 * The part of a workload that the watch of all workloads keeps. A cluster has far more workloads than sources, and any
 * of them may have hundreds of kilobytes of annotations.
 */
export function watchedPart(kind: WorkloadKind, workload: KubeObject): KubeObject {
  const { apiVersion, metadata } = workload
  const { name, namespace, uid, generation, deletionTimestamp, labels, annotations } = metadata
  const controller = controllerOf(workload)
  return {
    apiVersion,
    kind: kind.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(generation === undefined ? {} : { generation }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      labels: pick(labels ?? {}, watchedLabels(kind)),
      annotations: pick(annotations ?? {}, kind.watchedAnnotations),
      ownerReferences: controller ? [controller] : [],
    },
    ...kind.watchProjection?.(workload),
    ...(workload[UNREAD] === undefined ? {} : { [UNREAD]: workload[UNREAD] }),
  }
}

/** `whole`, which may have been read some time ago, with the metadata of its present `watched` part. */
export function withWatchedPart(kind: WorkloadKind, whole: KubeObject, watched: KubeObject): KubeObject {
  const { labels, annotations } = whole.metadata
  return {
    ...whole,
    metadata: {
      ...whole.metadata,
      ...watched.metadata,
      labels: { ...omit(labels ?? {}, watchedLabels(kind)), ...watched.metadata.labels },
      annotations: { ...omit(annotations ?? {}, kind.watchedAnnotations), ...watched.metadata.annotations },
    },
  }
}
