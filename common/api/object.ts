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

/**
 * Marks an object that is too large to be read, whose value says why. Only name, namespace, uid, version, deletion and
 * a few labels of it are known: it must not be taken for one without the rest. No JSON has this key.
 */
export const UNREAD: unique symbol = Symbol('unread')

/** An object as the API server sends it. Fields that we do not use are kept, with the type `unknown`. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  /** only of an object that is too large to be read: why */
  readonly [UNREAD]?: string
  readonly [field: string]: unknown
}

/** What a view has of an object that is too large, as a whole or in the field that the view reads. It is not absent. */
export interface UnreadView {
  /** for people: `service/cart` */
  readonly name: string
  /** why, as in `it has more than 100,000 keys and items` */
  readonly unread: string
}

/**
 * `view`, for objects of which some may be too large to be read. `word` is their kind for people: `service`.
 */
export const orUnread =
  <View>(word: string, view: (object: KubeObject) => View) =>
  (object: KubeObject): View | UnreadView => {
    const unread = object[UNREAD]
    return unread === undefined ? view(object) : { name: `${word}/${object.metadata.name}`, unread }
  }

const isUnread = <View extends object>(view: View | UnreadView): view is UnreadView => 'unread' in view

/** `views` in two lists: those of objects that were read, and those of the others. */
export function partedByRead<View extends object>(views: readonly (View | UnreadView)[]) {
  const isRead = (view: View | UnreadView): view is View => !isUnread(view)
  return { read: views.filter(isRead), unread: views.filter(isUnread) }
}
