/** An entry of `ownerReferences`, as in `metav1.OwnerReference`. */
export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** An entry of `managedFields`. The reflector drops most of `fieldsV1`. */
export interface ManagedFieldsEntry {
  readonly manager?: string
  readonly operation?: string
  readonly subresource?: string
  readonly time?: string
  /** the fields that the manager owns */
  readonly fieldsV1?: Readonly<Record<string, unknown>>
}

/** A kind of object and its place in the API. */
export interface ResourceType {
  /** `group/version`, or `v1` for the core group */
  readonly apiVersion: string
  readonly kind: string
  /** in lower case, as in paths */
  readonly plural: string
}

/** Labels or annotations. */
export type Labels = Readonly<Record<string, string>>

/** The members of `metadata` that we use. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string
  readonly uid?: string
  readonly generation?: number
  readonly resourceVersion?: string
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly labels?: Labels
  readonly annotations?: Labels
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

/** An object as the API server sends it. Fields that we do not use are kept, with the type `unknown`. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}
