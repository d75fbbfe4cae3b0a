import { hashOf } from '../api/canonical.ts'
import {
  API_VERSION,
  CR_NAME,
  EXPERIMENT_DEPLOYMENT,
  EXPERIMENT_ID,
  FIELD_MANAGER,
  IS_EXPERIMENT,
  ROLE,
} from '../api/names.ts'
import type { KubeObject, OwnerReference } from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'

/** Ten hex digits that stand for one resource uid: a re-created resource has another id and so another fork. */
export const experimentId = (uid: string): string => hashOf(uid, 10)

/**
 * The fork's name: at most 52 characters, so that a StatefulSet's `controller-revision-hash` (11 more) still is a label
 * value, and every pod's name begins with it.
 */
export const forkName = (sourceName: string, uid: string): string =>
  `${sourceName.slice(0, 30).replace(/[-.]+$/, '')}-experiment-${experimentId(uid)}`

/** Whether the pod called `name` is of anybody's fork: their pods are known by its name. */
export const isForkPod = (name: string): boolean => /-experiment-[0-9a-f]{10}-/.test(name)

/** The labels that say whose a fork is; on the workload and on its pods. */
export const identityLabels = (experiment: ExperimentDeployment): Readonly<Record<string, string>> => ({
  [CR_NAME]: experiment.metadata.name,
  [EXPERIMENT_ID]: experimentId(experiment.metadata.uid),
  [IS_EXPERIMENT]: 'true',
  [ROLE]: 'experiment',
})

/** The reference by which garbage collection removes the fork with its resource. */
export const ownerReference = ({ metadata: { name, uid } }: ExperimentDeployment): OwnerReference => ({
  apiVersion: API_VERSION,
  kind: EXPERIMENT_DEPLOYMENT.kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
})

/**
 * Whether `object` is the fork of `experiment`: by the uid of its controller, our label and our field manager. Names
 * prove nothing.
 */
export const isForkOf = (experiment: ExperimentDeployment, object: KubeObject): boolean =>
  isControlledBy(experiment, object) && isMarkedFor(experiment, object)

/** Whether the controller of `object` is `experiment`, by uid. */
export const isControlledBy = (experiment: ExperimentDeployment, { metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === experiment.metadata.uid) ===
  true

const isMarkedFor = (experiment: ExperimentDeployment, { metadata }: KubeObject): boolean =>
  metadata.labels?.[EXPERIMENT_ID] === experimentId(experiment.metadata.uid) &&
  metadata.managedFields?.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply') === true

/** Whether `object` is anybody's fork: such a source would be a copy of a copy. */
export const isExperiment = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.labels?.[IS_EXPERIMENT] === 'true' ||
  metadata.ownerReferences?.some(
    ({ controller, kind, apiVersion }) =>
      controller === true && kind === EXPERIMENT_DEPLOYMENT.kind && apiVersion === API_VERSION,
  ) === true

/** Whether `object` carries the label that every fork of ours has: by it they are watched. */
export const hasForkLabel = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  Object.hasOwn(metadata.labels ?? {}, EXPERIMENT_ID)
