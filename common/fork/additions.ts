import { OVERRIDE_LIMITS } from '../api/limits.ts'
import { FIELD_MANAGER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { isEmpty, isObject, listOr, member, parseJson } from '../json/json.ts'
import { changesBetween, type FieldChange } from '../override/changes.ts'
import { withinDepth } from '../override/depth.ts'
import type { PathStep } from '../override/path.ts'
import type { Shape } from '../override/shape.ts'

/**
 * What other clients added to the `spec` of a live fork beside what the controller applies. Server-side apply leaves it
 * there. Defaults of the API server belong to no client, so they are not listed.
 */
export function additions(live: KubeObject, applied: () => KubeObject, shape: () => Shape): readonly FieldChange[] {
  const owned = fieldsOfOthers(live)
  if (owned === undefined) return [] // the usual case needs no comparison
  const spec = withinDepth(live.spec) // the schema of a Rollout allows any depth
  return changesBetween(applied().spec, spec, shape()).filter(
    ({ path, before }) => before === undefined && owns(owned, path, spec),
  )
}

/**
 * The fields of `spec` that other managers own, as in `fieldsV1`; undefined if there is none. They are joined: an
 * object may have thousands of managers, each of whose fields would be compared with each addition.
 */
function fieldsOfOthers({ metadata }: KubeObject): unknown {
  const others = (metadata.managedFields ?? []).filter(
    ({ manager, operation, subresource }) => !subresource && !(manager === FIELD_MANAGER && operation === 'Apply'),
  )
  const owned = others.map(({ fieldsV1 }) => member(fieldsV1, 'f:spec')).filter((fields) => fields !== undefined)
  return owned.length > 0 ? joined(owned, 0) : undefined
}

/** What any of `owned` has. A place that one of them has as a whole, or that is too deep, is one as a whole. */
function joined(owned: readonly unknown[], depth: number): unknown {
  const fields = owned.filter(isObject)
  const [first] = fields
  if (fields.length <= 1) return first
  if (depth > OVERRIDE_LIMITS.depth || fields.some(isWhole)) return {}
  const below = new Map<string, unknown[]>()
  for (const each of fields)
    for (const [key, inner] of Object.entries(each)) {
      const found = below.get(key)
      if (found) found.push(inner)
      else below.set(key, [inner])
    }
  return Object.fromEntries(Array.from(below, ([key, inner]) => [key, joined(inner, depth + 1)]))
}

/** Whether `fields` have `path`, or a place above it as a whole. `value` is where the path begins. */
function owns(fields: unknown, path: readonly PathStep[], value: unknown): boolean {
  let node = fields
  let place = value
  for (const step of path) {
    if (!isObject(node)) return false
    if (isWhole(node)) return true
    if (step.is === 'member') {
      place = member(place, step.key)
      node = member(node, `f:${step.key}`)
    } else {
      place = listOr(place)[step.index]
      node = ownedItem(node, place, step.index)
    }
  }
  return isObject(node)
}

/** What `fields`, those of a list in `fieldsV1`, have for an item: by its keys, its value or its index. */
function ownedItem(fields: Fields, item: unknown, index: number): unknown {
  const { byKeys, byValue } = ownedItems(fields)
  for (const { names, items } of byKeys.values()) {
    const found = items.get(textOf(valuesIn(item, names)))
    if (found !== undefined) return found
  }
  return (byValue.size > 0 ? byValue.get(textOf(item)) : undefined) ?? member(fields, `i:${index}`)
}

type Fields = Readonly<Record<string, unknown>>

/** Whether nothing stands below a place of `fieldsV1`. Kept, because this takes as long as to list the fields. */
function isWhole(fields: Fields): boolean {
  const known = IS_WHOLE.get(fields) ?? isEmpty(fields)
  IS_WHOLE.set(fields, known)
  return known
}
const IS_WHOLE = new WeakMap<Fields, boolean>()

interface OwnedItems {
  /** for each set of keys: what the fields have for its values */
  readonly byKeys: Map<string, { readonly names: readonly string[]; readonly items: Map<string, unknown> }>
  readonly byValue: Map<string, unknown>
}

/** A list may have thousands of items. To parse all keys for each of them would take minutes. */
const OWNED_ITEMS = new WeakMap<Fields, OwnedItems>()

/** The keys of `fields`, parsed: `k:{"name":"cart"}` for the keys of an item, `v:"a"` for its value. */
function ownedItems(fields: Fields): OwnedItems {
  const known = OWNED_ITEMS.get(fields)
  if (known) return known
  const found: OwnedItems = { byKeys: new Map(), byValue: new Map() }
  for (const [key, owned] of Object.entries(fields)) {
    const meant = parseJson(key.slice(2))
    if (key.startsWith('v:')) found.byValue.set(textOf(meant), owned)
    if (!key.startsWith('k:') || !isObject(meant)) continue
    const names = Object.keys(meant)
    const of = found.byKeys.get(names.join()) ?? { names, items: new Map<string, unknown>() }
    of.items.set(textOf(valuesIn(meant, names)), owned)
    found.byKeys.set(names.join(), of)
  }
  OWNED_ITEMS.set(fields, found)
  return found
}

const valuesIn = (item: unknown, names: readonly string[]): readonly unknown[] =>
  names.map((name) => member(item, name) ?? null)

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''
