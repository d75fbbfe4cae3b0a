import { sourceNamespaceOf } from '../api/defaults.ts'
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
import {
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type OwnerReference,
  UNREAD,
} from '../api/object.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { sha256Of } from '../json/canonical.ts'
import { isEqual, member } from '../json/json.ts'

/** The id of an experiment: ten hex digits of a hash of its uid. A re-created experiment has another id and fork. */
export function experimentId(uid: string): string {
  if (latest.uid !== uid) latest = { uid, id: sha256Of(uid, 10) }
  return latest.id
}

/** The newest id: a review or a pass needs the same one about ten times. */
let latest = { uid: '', id: sha256Of('', 10) }

/** The id of the source of an experiment: ten hex digits of a hash of its kind, namespace and name. */
export const sourceId = (experiment: ExperimentDeployment): string => {
  const { kind, name } = experiment.spec.sourceRef
  return sha256Of([kind, sourceNamespaceOf(experiment), name], 10)
}

/** A workload of an experiment: its fork, or the twin without the override that an analysis compares it with. */
export type ForkRole = 'experiment' | 'control'

/** Both. */
export const ROLES: readonly ForkRole[] = ['experiment', 'control']

/** What stands for the uid of the experiment in names and labels, so that fork and twin share no pod. */
export const roleUid = (uid: string, role: ForkRole): string => (role === 'control' ? `${uid}/control` : uid)

/** At most 52 characters: a StatefulSet's `controller-revision-hash` (11 more) must fit into a label value, uncut. */
export const forkName = (sourceName: string, uid: string): string =>
  `${sourceName.slice(0, 30).replace(/[-.]+$/, '')}-experiment-${experimentId(uid)}`

/** The name of the ControllerRevision with the former values of a source. */
export const promotionRecordName = ({ metadata, spec }: ExperimentDeployment): string =>
  recordNameOf({ metadata: { name: forkName(spec.sourceRef.name, metadata.uid) } })

/** The name of the promotion record of an experiment whose fork is given. */
export const recordNameOf = ({ metadata: { name } }: Pick<KubeObject, 'metadata'>): string => `${name}-promotion`

/** The name of the fork to which the pod called `name` belongs; undefined if it belongs to none. */
export const forkOfPod = (name: string): string | undefined => /^(.*-experiment-[0-9a-f]{10})-/.exec(name)?.[1]

/** The name of the twin of an experiment. */
export const twinName = ({ metadata, spec }: ExperimentDeployment): string =>
  forkName(spec.sourceRef.name, roleUid(metadata.uid, 'control'))

/** The labels that link a fork and its pods to the experiment. */
export const identityLabels = (
  { metadata: { name, uid } }: ExperimentDeployment,
  role: ForkRole = 'experiment',
): Readonly<Record<string, string>> => ({
  [CR_NAME]: name,
  [EXPERIMENT_ID]: experimentId(roleUid(uid, role)),
  [IS_EXPERIMENT]: 'true',
  [ROLE]: role,
})

/** The selector of the fork. It matches only the fork's pods. */
export const forkSelector = ({ metadata: { uid } }: ExperimentDeployment, role: ForkRole = 'experiment') =>
  selectorOf(roleUid(uid, role))

const selectorOf = (uid: string) => selectorWith(experimentId(uid))

/** The selector of the fork or twin with this id. */
export const selectorWith = (id: string) => ({ matchLabels: { [EXPERIMENT_ID]: id } })

/** The owner reference by which garbage collection deletes the fork with its experiment. */
export const ownerReference = ({ metadata: { name, uid } }: ExperimentDeployment): OwnerReference => ({
  apiVersion: API_VERSION,
  kind: EXPERIMENT_DEPLOYMENT.kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
})

/** Whether the fork of `experiment` is in another namespace. Owner references cannot cross namespaces. */
export const isCrossNamespace = (experiment: ExperimentDeployment): boolean =>
  sourceNamespaceOf(experiment) !== experiment.metadata.namespace

/**
 * Whether the fork of `experiment` belongs to it by labels and a finalizer: where no owner reference is possible, and
 * where garbage collection must not delete the fork before its Services send to the source again, or before the source
 * has its pods.
 */
export const isOwnedByLabels = (experiment: ExperimentDeployment): boolean =>
  isCrossNamespace(experiment) ||
  experiment.spec.strategy?.blueGreen !== undefined ||
  experiment.spec.strategy?.canary?.scaleDownSource === true ||
  experiment.status?.strategy?.scaled !== undefined

/** The metadata that makes a fork belong to its experiment: an owner reference, or labels. */
export const ownershipMetadata = (
  experiment: ExperimentDeployment,
  role: ForkRole = 'experiment',
): Pick<ObjectMeta, 'labels' | 'ownerReferences'> => {
  const labels = identityLabels(experiment, role)
  const { namespace, uid } = experiment.metadata
  return isOwnedByLabels(experiment)
    ? { labels: { ...labels, [OWNER_NAMESPACE]: namespace, [OWNER_UID]: uid } }
    : { labels, ownerReferences: [ownerReference(experiment)] }
}

/**
 * Whether `object` is the fork of `experiment`, or its twin. Name and selector must contain the hash of the uid, and it
 * must not have another controller. Somebody else may have taken the name, so it must also be the object of the last
 * status, or have two of three marks: label, owner and field manager. The controller restores marks that a client
 * removed.
 */
export const isForkOf = (
  experiment: ExperimentDeployment,
  object: KubeObject,
  role: ForkRole = 'experiment',
): boolean => {
  const { status, spec } = experiment
  const { uid } = experiment.metadata
  const controller = controllerOf(object)
  const left = role === 'control' ? status?.analysis?.twin : status?.experimentResourceRef
  return (
    object.metadata.name === forkName(spec.sourceRef.name, roleUid(uid, role)) &&
    hasSelectorOf(roleUid(uid, role), object) &&
    (controller === undefined || (controller.uid === uid && !isCrossNamespace(experiment))) &&
    ((left !== undefined && left.uid === object.metadata.uid) || markCount(experiment, object, role) >= 2)
  )
}

/**
 * Whether an object with the name of the fork of `experiment`, which is too large to be read, is that fork. Its
 * selector cannot have changed, so it is if the status has its uid.
 */
export const isUnreadForkOf = ({ status }: ExperimentDeployment, object: KubeObject): boolean =>
  object[UNREAD] !== undefined && status?.experimentResourceRef?.uid === object.metadata.uid

const markCount = (experiment: ExperimentDeployment, object: KubeObject, role: ForkRole): number =>
  [
    object.metadata.labels?.[EXPERIMENT_ID] === experimentId(roleUid(experiment.metadata.uid, role)),
    belongsTo(experiment, object),
    isApplied(object),
  ].filter(Boolean).length

/** Whether `object` has the metadata of `ownershipMetadata`, by uid. Many users can write it. */
const belongsTo = (experiment: ExperimentDeployment, object: KubeObject): boolean =>
  isOwnedByLabels(experiment) ? isLabelledFor(experiment, object) : isControlledBy(experiment, object)

/** As `belongsTo`, or by the marks of another strategy: a ControllerRevision keeps those of its creation. */
export const hasBelongedTo = (experiment: ExperimentDeployment, object: KubeObject): boolean =>
  isLabelledFor(experiment, object) || isControlledBy(experiment, object)

/** Whether garbage collection deletes `fork` with `experiment`, or would if the fork had an owner reference. */
export const hasOwnerReference = (experiment: ExperimentDeployment, fork: KubeObject): boolean =>
  isOwnedByLabels(experiment) || isControlledBy(experiment, fork)

/**
 * Whether `fork` has the owner references of `ownershipMetadata` and no others. Garbage collection would keep a fork
 * with another owner after the end of its experiment, or delete it with that owner.
 */
export const isOwnedAsApplied = (experiment: ExperimentDeployment, { metadata }: KubeObject): boolean =>
  isEqual(metadata.ownerReferences ?? [], isOwnedByLabels(experiment) ? [] : [ownerReference(experiment)])

/** Whether the API server knows which fields of `object` the controller applied. */
export const isApplied = ({ metadata }: KubeObject): boolean => metadata.managedFields?.some(isOurApply) === true

/**
 * Whether an entry of `managedFields` is that to which the API server gives all fields of an object without entries,
 * when the object is first applied. Our applies could remove none of these fields.
 */
export const isBeforeFirstApply = ({ manager }: ManagedFieldsEntry): boolean => manager === 'before-first-apply'

/** Whether an entry of `managedFields` is that of the controller's applies. */
const isOurApply = ({ manager, operation, subresource }: ManagedFieldsEntry): boolean =>
  manager === FIELD_MANAGER && operation === 'Apply' && !subresource

/**
 * When the controller last changed `object` by an apply, by the clock of the API server in whole seconds, in ms since
 * 1970; Infinity if unknown, so that nothing stalls early.
 */
export const lastAppliedMs = ({ metadata }: KubeObject): number =>
  Date.parse(metadata.managedFields?.find(isOurApply)?.time ?? '') || Number.POSITIVE_INFINITY

/** Whether another client has written fields of the status of an experiment, which only the controller writes. */
export function hasForeignStatus({ metadata: { managedFields = [] } }: Pick<KubeObject, 'metadata'>): boolean {
  return managedFields.some(({ manager, subresource }) => subresource === 'status' && manager !== FIELD_MANAGER)
}

/** Whether `experiment` has the finalizer that keeps it until its fork is gone. */
export const hasForkFinalizer = ({ metadata }: ExperimentDeployment): boolean =>
  metadata.finalizers?.includes(FORK_FINALIZER) === true

/** Whether `object` is being deleted: it exists only until its finalizers are removed. */
export const isBeingDeleted = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined

/** The reference to the controller of `object`, of which there is at most one. */
export const controllerOf = ({ metadata }: Pick<KubeObject, 'metadata'>): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)

/** An object with a controller reference belongs to that controller, whatever its labels. */
const isLabelledFor = ({ metadata: { namespace, uid } }: ExperimentDeployment, object: KubeObject): boolean =>
  object.metadata.labels?.[OWNER_UID] === uid &&
  object.metadata.labels[OWNER_NAMESPACE] === namespace &&
  !controllerOf(object)

/** Whether the controller of `object` is `experiment`, by uid. */
const isControlledBy = (experiment: ExperimentDeployment, object: KubeObject): boolean =>
  controllerOf(object)?.uid === experiment.metadata.uid

/** Whether a workload has the selector of the fork or twin that `uid` stands for. */
export const hasSelectorOf = (uid: string, { spec }: KubeObject): boolean =>
  isEqual(member(spec, 'selector'), selectorOf(uid))

/** Whether `object` is a fork of any experiment. A fork cannot be forked. */
export const isFork = (object: Pick<KubeObject, 'metadata'>): boolean => {
  const { kind, apiVersion } = controllerOf(object) ?? {}
  const isControlled = kind === EXPERIMENT_DEPLOYMENT.kind && apiVersion === API_VERSION
  return object.metadata.labels?.[IS_EXPERIMENT] === 'true' || isControlled
}

/** Whether `object` has the label of forks, by which they are watched. */
export const hasForkLabel = ({ metadata }: Pick<KubeObject, 'metadata'>): boolean =>
  Object.hasOwn(metadata.labels ?? {}, EXPERIMENT_ID)
