import { FIELD_MANAGER } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import { isEmpty, isEqual, isObject, listOr, member, parseJson } from '../json/json.ts'
import { type Change, changesBetween } from '../override/changes.ts'
import type { Step } from '../override/path.ts'
import type { Shape } from '../override/shape.ts'

/**
 * What other clients added to the `spec` of a live fork beside what the controller applies. Server-side apply leaves it
 * there. Defaults of the API server belong to no client, so they are not listed.
 */
export function additions(live: KubeObject, applied: () => KubeObject, shape: () => Shape): readonly Change[] {
  const owned = fieldsOfOthers(live)
  if (owned.length === 0) return [] // the usual case needs no comparison
  return changesBetween(applied().spec, live.spec, shape()).filter(
    ({ path, before }) => before === undefined && owned.some((fields) => owns(fields, path, live.spec)),
  )
}

/** The fields of `spec` that each other manager owns, as in `fieldsV1`. */
function fieldsOfOthers({ metadata }: KubeObject): readonly unknown[] {
  const others = (metadata.managedFields ?? []).filter(
    ({ manager, operation, subresource }) => !subresource && !(manager === FIELD_MANAGER && operation === 'Apply'),
  )
  return others.map(({ fieldsV1 }) => member(fieldsV1, 'f:spec')).filter((fields) => fields !== undefined)
}

/** Whether `fields` have `path`, or a place above it as a whole. `value` is where the path begins. */
function owns(fields: unknown, path: readonly Step[], value: unknown): boolean {
  let node = fields
  let place = value
  for (const step of path) {
    if (!isObject(node)) return false
    if (isEmpty(node)) return true
    if (step.is === 'member') {
      place = member(place, step.key)
      node = member(node, `f:${step.key}`)
    } else {
      place = listOr(place)[step.index]
      const key = Object.keys(node).find((each) => isItem(each, place, step.index))
      node = key === undefined ? undefined : member(node, key)
    }
  }
  return isObject(node)
}

/** Whether `key` of `fieldsV1` means this item: by its keys (`k:{"name":"cart"}`), its value or its index. */
function isItem(key: string, item: unknown, index: number): boolean {
  const meant = parseJson(key.slice(2))
  if (key.startsWith('k:') && isObject(meant))
    return Object.entries(meant).every(([name, value]) => isEqual(member(item, name), value))
  if (key.startsWith('v:')) return isEqual(meant, item)
  return key === `i:${index}`
}
