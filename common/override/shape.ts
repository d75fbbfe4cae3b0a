import { member } from '../json/json.ts'

/** A member that identifies the items of a list. If it is absent, `fallback` is its value. */
export interface ListKey {
  readonly key: string
  readonly fallback?: string
}

/** What merging needs to know about the structure of a spec. Followed step by step: schemas can refer to themselves. */
export interface Shape {
  /** the shape of the member `key`, for an object */
  readonly member: (key: string) => Shape
  /** the shape of every item, for a list */
  readonly items: () => Shape
  /** the list-map keys of a list that merges by keys; otherwise empty */
  readonly keys: readonly ListKey[]
  /** the members that exclude each other, for an object */
  readonly unions: readonly Union[]
  /** `object`: with no other members than `fields`; `map`: with free keys; `any`: it may hold anything */
  readonly form: 'object' | 'map' | 'list' | 'scalar' | 'any'
  /** the names of the members that are known, for an object */
  readonly fields: readonly string[]
  /** what the API server fills in where the member `key` is absent, for an object; undefined: nothing, or not known */
  readonly defaultOf: (key: string) => unknown
  /** whether it is an amount such as `1Gi`, which can be written in several ways */
  readonly isQuantity: boolean
}

/** Nothing is known: maps are merged, lists are replaced. */
export const NO_SHAPE: Shape = {
  member: () => NO_SHAPE,
  items: () => NO_SHAPE,
  keys: [],
  unions: [],
  form: 'any',
  fields: [],
  defaultOf: () => undefined,
  isQuantity: false,
}

/** The API server fills in the fallback also for an empty text. */
function keyIn(item: unknown, { key, fallback }: ListKey): unknown {
  const value = member(item, key)
  return fallback !== undefined && value === '' ? fallback : (value ?? fallback)
}

/** The value of each key in `item`, or its fallback, or undefined. */
export const keyValues = (item: unknown, keys: readonly ListKey[]): readonly unknown[] =>
  keys.map((key) => keyIn(item, key))

/** What identifies an item. For a single key it is the value itself, so that `"1"` and `1` differ. */
export type Identity = string | number | boolean

/** Equal for two items with the same keys. Undefined for an item whose key is missing or not a scalar. */
export function identityOf(item: unknown, keys: readonly ListKey[]): Identity | undefined {
  const [only, ...others] = keys
  if (only && others.length === 0) return scalar(keyIn(item, only)) // the usual case
  const values = keyValues(item, keys)
  return values.every((value) => scalar(value) !== undefined) ? JSON.stringify(values) : undefined
}

const scalar = (value: unknown): Identity | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined

/** Whether two items have the same keys. False if a key is missing or not a scalar. */
export function isSameKey(one: unknown, other: unknown, keys: readonly ListKey[]): boolean {
  for (const key of keys) {
    const value = keyIn(one, key)
    if (value === undefined || typeof value === 'object' || value !== keyIn(other, key)) return false
  }
  return true
}

/** An item of a list with the key of an earlier item. */
export interface Duplicate {
  readonly index: number
  /** index of the nearest earlier item with the key */
  readonly earlier: number
}

/** Every item with the key of an earlier item. Ignores items without a key, which other checks report. */
export function findDuplicates(items: readonly unknown[], keys: readonly ListKey[]): readonly Duplicate[] {
  if (isDistinct(items, keys)) return [] // the usual case
  const last = new Map<Identity, number>()
  return items.flatMap((item, index) => {
    const id = identityOf(item, keys)
    if (id === undefined) return []
    const earlier = last.get(id)
    last.set(id, index)
    return earlier === undefined ? [] : [{ index, earlier }]
  })
}

/** Up to this number of items, comparing pairs is faster than building a set. */
const FEW = 8

function isDistinct(items: readonly unknown[], keys: readonly ListKey[]): boolean {
  const [only] = keys
  if (only === undefined) return true
  if (items.length > FEW) return keys.length === 1 && isSetOfKeys(items, only)
  for (let index = 1; index < items.length; index += 1)
    for (let earlier = 0; earlier < index; earlier += 1) if (isSameKey(items[index], items[earlier], keys)) return false
  return true
}

/** Also false if several items lack the key. */
function isSetOfKeys(items: readonly unknown[], key: ListKey): boolean {
  const found = new Set<unknown>()
  for (const item of items) found.add(keyIn(item, key))
  return found.size === items.length
}

/** Members of an object that exclude each other. */
export type Union =
  /** at most one of `members` may be set */
  | { readonly is: 'oneOf'; readonly members: readonly string[] }
  /** `member` may be set only while the member `type` has this value */
  | { readonly is: 'byType'; readonly member: string; readonly type: string }

interface KnownUnion {
  /** applies to objects with all of these properties; schemas in CRDs have no names to go by */
  readonly has: readonly string[]
  readonly unions: (properties: readonly string[]) => readonly Union[]
}

const HANDLERS = ['exec', 'grpc', 'httpGet', 'sleep', 'tcpSocket']

const oneOf = (members: readonly string[]): readonly Union[] => [{ is: 'oneOf', members }]
const pair = (...has: readonly string[]): KnownUnion => ({ has, unions: () => oneOf(has) })
const byType = (member: string, type: string): KnownUnion => ({
  has: [member, 'type'],
  unions: () => [{ is: 'byType', member, type }],
})

/**
 * The unions of pod templates and strategies, by hand: the API server's OpenAPI does not mark most of them, and its
 * mark (`x-kubernetes-unions`) names the Go field instead of the value.
 */
const KNOWN: readonly KnownUnion[] = [
  pair('value', 'valueFrom'), // EnvVar
  pair('resourceClaimName', 'resourceClaimTemplateName'), // PodResourceClaim
  byType('rollingUpdate', 'RollingUpdate'), // DeploymentStrategy, StatefulSetUpdateStrategy
  byType('localhostProfile', 'Localhost'), // SeccompProfile, AppArmorProfile
  // EnvVarSource: every member is a source
  { has: ['configMapKeyRef', 'secretKeyRef'], unions: oneOf },
  // Volume: every member but the name is a source, including those of later versions
  {
    has: ['name', 'emptyDir', 'hostPath', 'persistentVolumeClaim'],
    unions: (properties) => oneOf(properties.filter((key) => key !== 'name')),
  },
  // Probe, LifecycleHandler
  {
    has: ['exec', 'httpGet', 'tcpSocket'],
    unions: (properties) => oneOf(HANDLERS.filter((handler) => properties.includes(handler))),
  },
]

/** The unions of an object whose schema has `properties`. */
export const unionsOf = (properties: readonly string[]): readonly Union[] =>
  KNOWN.filter(({ has }) => has.every((key) => properties.includes(key))).flatMap(({ unions }) => unions(properties))
