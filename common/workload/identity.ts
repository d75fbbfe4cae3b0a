import { hashOf } from '../api/canonical.ts'
import { isEqual } from '../api/equal.ts'
import {
  API_VERSION,
  CR_NAME,
  EXPERIMENT_DEPLOYMENT,
  EXPERIMENT_ID,
  FIELD_MANAGER,
  FORK_FINALIZER,
  IS_EXPERIMENT,
  OWNER_NAMESPACE,
  OWNER_UID,
  ROLE,
} from '../api/names.ts'
import { at, type KubeObject, type ObjectMeta, type OwnerReference } from '../api/object.ts'
import { sourceNamespaceOf } from '../api/policy.ts'
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

/** The selector of the fork, of its pods alone. */
export const forkSelector = ({ metadata: { uid } }: ExperimentDeployment) => ({
  matchLabels: { [EXPERIMENT_ID]: experimentId(uid) },
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

/** Whether the fork of `experiment` is in another namespace: owner references may not cross over. */
export const isApart = (experiment: ExperimentDeployment): boolean =>
  sourceNamespaceOf(experiment) !== experiment.metadata.namespace

/** The metadata by which a fork is its resource's: an owner reference, or labels where they are apart. */
export const belonging = (experiment: ExperimentDeployment): Pick<ObjectMeta, 'labels' | 'ownerReferences'> => {
  const labels = identityLabels(experiment)
  const { namespace, uid } = experiment.metadata
  return isApart(experiment)
    ? { labels: { ...labels, [OWNER_NAMESPACE]: namespace, [OWNER_UID]: uid } }
    : { labels, ownerReferences: [ownerReference(experiment)] }
}

/**
 * Whether `object` is the fork of `experiment`: by the uid of its controller, or where they are apart of its label, our
 * label, our field manager and our selector. Names prove nothing.
 */
export const isForkOf = (experiment: ExperimentDeployment, object: KubeObject): boolean =>
  (isApart(experiment) ? isLabelledFor(experiment, object) : isControlledBy(experiment, object)) &&
  isMarkedFor(experiment, object)

/** Whether `experiment` cannot go before its fork has gone. */
export const isHeld = ({ metadata }: ExperimentDeployment): boolean =>
  metadata.finalizers?.includes(FORK_FINALIZER) === true

/** Whether somebody deleted `object`, which is there only until its finalizers are gone. */
export const isLeaving = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined

/** What has a controller is that one's, whatever its labels say. */
const isLabelledFor = ({ metadata: { namespace, uid } }: ExperimentDeployment, { metadata }: KubeObject): boolean =>
  metadata.labels?.[OWNER_UID] === uid &&
  metadata.labels[OWNER_NAMESPACE] === namespace &&
  metadata.ownerReferences?.some(({ controller }) => controller === true) !== true

/** Whether the controller of `object` is `experiment`, by uid. */
export const isControlledBy = (experiment: ExperimentDeployment, { metadata }: KubeObject): boolean =>
  metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === experiment.metadata.uid) ===
  true

const isMarkedFor = (experiment: ExperimentDeployment, object: KubeObject): boolean => {
  const { metadata } = object
  return (
    metadata.labels?.[EXPERIMENT_ID] === experimentId(experiment.metadata.uid) &&
    metadata.managedFields?.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === 'Apply') ===
      true &&
    // whoever else selects pods by it cannot be made ours: no update changes a selector
    isEqual(at(object, 'spec', 'selector'), forkSelector(experiment))
  )
}

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
