/** A kind of object and where the API server keeps it. */
export interface ResourceType {
  /** `group/version`, or `v1` for the core group */
  readonly apiVersion: string
  readonly kind: string
  /** as in the path: lower case */
  readonly plural: string
}
