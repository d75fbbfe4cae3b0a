import type { ResourceType } from './resource.ts'

/** The API group of our own kinds. */
export const GROUP = 'experimentcontroller.example.com'
export const API_VERSION = `${GROUP}/v1alpha1`

/** The resource that users write. */
export const EXPERIMENT_DEPLOYMENT: ResourceType = {
  apiVersion: API_VERSION,
  kind: 'ExperimentDeployment',
  plural: 'experimentdeployments',
}

/** The resource by which admins limit experiments; cluster-scoped. */
export const EXPERIMENT_POLICY: ResourceType = {
  apiVersion: API_VERSION,
  kind: 'ExperimentPolicy',
  plural: 'experimentpolicies',
}

/** Under this prefix all labels and annotations are ours. */
export const PREFIX = 'experiment-controller.example.com/'

/** The only label a fork selects its pods by. */
export const EXPERIMENT_ID = `${PREFIX}experiment-id`
export const CR_NAME = `${PREFIX}cr-name`
export const ROLE = `${PREFIX}role`
export const IS_EXPERIMENT = `${PREFIX}is-experiment`
/** On a fork in another namespace than its resource, where no owner reference can say whose it is. */
export const OWNER_NAMESPACE = `${PREFIX}owner-namespace`
export const OWNER_UID = `${PREFIX}owner-uid`
export const MANAGED_BY = 'app.kubernetes.io/managed-by'

/**
 * Finalizer of a resource whose fork is in another namespace: garbage collection does not reach it. Whoever takes it off
 * by force has to delete the fork as well: its labels alone are no proof on which to delete what nobody asked for.
 */
export const FORK_FINALIZER = `${PREFIX}fork`

/** Annotation on a resource: who asked for what its `spec` says. Set by the webhook; it authorises nothing. */
export const REQUESTED_BY = `${PREFIX}requested-by`

/** Annotation on a fork: the hash of what was applied. */
export const DERIVED_HASH = `${PREFIX}derived-hash`

/** The field manager of every server-side apply, and the value of the managed-by label. */
export const FIELD_MANAGER = 'experiment-controller'
