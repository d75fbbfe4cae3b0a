/** A kind of object and its place in the API. */
export interface ResourceType {
  /** `group/version`, or `v1` for the core group */
  readonly apiVersion: string
  readonly kind: string
  /** in lower case, as in paths */
  readonly plural: string
}

/** Keeps the base of a pinned experiment. */
export const CONTROLLER_REVISION: ResourceType = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
}
