import type { FieldError, FieldErrorCause, OverrideType } from '../api/types.ts'
import { childOf, formatPath, type PathNode, ROOT, showValue, stepsTo } from '../json/field-path.ts'
import { isObject, type Json, type JsonObject, member, objectOr } from '../json/json.ts'
import { findDuplicates, identityOf, keyValues, type ListKey, type Shape, type Union } from './shape.ts'

/** Also used by the check against the schema, which often reports the same error. */
export const NULL_ITEM = 'null cannot remove an item of this list; use overrideType: Merge and list the items to keep'

interface MergeCursor {
  readonly way: PathNode
  readonly shape: Shape
  /** whether this is inside a list that is replaced whole */
  readonly isReplacing: boolean
}

/**
 * Everything in `override` that cannot be merged into any base: null as an item of a list, one key twice in a keyed
 * list and, for Strategic, an item without its key or two members of a union. Expects an override within
 * `brokenLimits`, because it recurses. Takes about 10 µs for a usual override and up to 1 ms for one of 5,000 keys and
 * items.
 */
export function unmergeable(override: JsonObject, type: OverrideType, shape: Shape): readonly FieldError[] {
  const errors: FieldError[] = []
  const found = (way: PathNode, message: string, cause: FieldErrorCause = 'FieldValueInvalid') => {
    errors.push({ field: formatPath('spec.overrideSpec', stepsTo(way)), message, cause })
  }
  const isStrategic = type === 'Strategic'

  const visit = (value: Json, place: MergeCursor): void => {
    if (Array.isArray(value)) visitItems(value, place)
    else if (isObject(value)) visitMembers(value as JsonObject, place)
  }

  const visitMembers = (object: JsonObject, { way, shape, isReplacing }: MergeCursor): void => {
    const clashes = isStrategic ? shape.unions.flatMap((union) => clashIn(union, object)) : []
    for (const { key, message } of clashes) found(childOf(way, key), message)
    for (const key in object) {
      const value = object[key] ?? null
      // most values are scalars, of which only null can be wrong
      if (typeof value === 'object') visit(value, { way: childOf(way, key), shape: shape.member(key), isReplacing })
    }
  }

  const visitItems = (items: readonly Json[], { way, shape, isReplacing }: MergeCursor): void => {
    const isMerged = isStrategic && shape.keys.length > 0 && !isReplacing
    const duplicates = findDuplicates(items, shape.keys)
    const repeated =
      duplicates.length > 0 ? new Map(duplicates.map(({ index, earlier }) => [index, earlier])) : undefined
    items.forEach((item, index) => {
      const earlier = repeated?.get(index)
      if (!isStrategic && earlier === undefined && isFlat(item)) return // most items, such as variables
      const here = childOf(way, index)
      if (earlier !== undefined) {
        const message = `duplicate of [${earlier}] (${describeKeys(item, shape.keys)}); remove one of them`
        found(shape.keys.length === 1 ? childOf(here, shape.keys[0]?.key ?? '') : here, message, 'FieldValueDuplicate')
      }
      if (item === null) found(here, isMerged ? NULL_ITEM : 'null is not allowed inside a list; remove this')
      else if (!isMerged) visit(item, { way: here, shape: shape.items(), isReplacing: true })
      else if (!isObject(item)) found(here, `expected object, got ${showValue(item)}`, 'FieldValueTypeInvalid')
      else {
        for (const { key } of missing(item, shape.keys)) found(childOf(here, key), 'required', 'FieldValueRequired')
        visit(item, { way: here, shape: shape.items(), isReplacing: false })
      }
    })
  }

  visitMembers(override, { way: ROOT, shape, isReplacing: false })
  return errors
}

/** Whether `item` is a scalar, or an object of scalars: nothing in it can be wrong. */
function isFlat(item: Json): boolean {
  if (typeof item !== 'object') return true
  if (!isObject(item)) return false
  for (const key in item) if (typeof (item[key] ?? null) === 'object') return false
  return true
}

const missing = (item: unknown, keys: readonly ListKey[]): readonly ListKey[] =>
  keys.filter((key) => identityOf(item, [key]) === undefined)

/** `containerPort 80, protocol "TCP"` */
export const describeKeys = (item: unknown, keys: readonly ListKey[]): string => {
  const values = keyValues(item, keys)
  return keys.map(({ key }, at) => `${key} ${showValue(values[at])}`).join(', ')
}

function clashIn(union: Union, object: JsonObject): readonly { readonly key: string; readonly message: string }[] {
  const isSet = (key: string) => (member(object, key) ?? null) !== null
  if (union.is === 'byType') {
    const { type } = objectOr(object)
    if (typeof type !== 'string' || type === union.type || !isSet(union.member)) return []
    const message = `can be set only with type ${union.type}, got ${showValue(type)}; remove one of them`
    return [{ key: union.member, message }]
  }
  const [kept, ...others] = union.members.filter(isSet)
  return others.map((key) => ({ key, message: `cannot be set together with ${kept}; remove one of them` }))
}
