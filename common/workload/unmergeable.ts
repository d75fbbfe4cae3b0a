import { formatPath, showValue } from '../api/field-path.ts'
import { isObject, type Json, type JsonObject, member, objectOr } from '../api/object.ts'
import type { FieldError, FieldErrorCause, OverrideType } from '../api/types.ts'
import { below, pathOf, TOP, type Way } from '../api/way.ts'
import { repetitions } from './repetitions.ts'
import { identityOf, keyValues, type ListKey, type Shape } from './shape.ts'
import type { Union } from './unions.ts'

/** Words that the check by schema uses too, which often finds the same. */
export const NULL_ITEM = 'null removes no item of this list; use overrideType: Merge and repeat what must stay'

interface Place {
  readonly way: Way
  readonly shape: Shape
  /** whether what stands here goes into a list that is replaced whole */
  readonly isReplacing: boolean
}

/**
 * Everything in `override` that cannot be laid over any base: null inside a list, one key twice in a keyed list and,
 * for Strategic, an item without its key or two members of a union. Expects an override within `brokenLimits`.
 */
export function unmergeable(override: JsonObject, type: OverrideType, shape: Shape): readonly FieldError[] {
  const known = LOOKED_AT.get(override)
  if (known && known.type === type && known.shape === shape) return known.errors
  const errors = errorsIn(override, type, shape)
  LOOKED_AT.set(override, { type, shape, errors })
  return errors
}

interface LookedAt {
  readonly type: OverrideType
  readonly shape: Shape
  readonly errors: readonly FieldError[]
}

/** Admission tells what is wrong, and merges: that asks again. Nobody writes to an override. */
const LOOKED_AT = new WeakMap<JsonObject, LookedAt>()

function errorsIn(override: JsonObject, type: OverrideType, shape: Shape): readonly FieldError[] {
  const errors: FieldError[] = []
  const found = (way: Way, message: string, cause: FieldErrorCause = 'FieldValueInvalid') => {
    errors.push({ field: formatPath('spec.overrideSpec', pathOf(way)), message, cause })
  }
  const isStrategic = type === 'Strategic'

  const visit = (value: Json, place: Place): void => {
    if (value === null && place.isReplacing) found(place.way, 'null inside a list removes nothing; leave this out')
    else if (Array.isArray(value)) visitItems(value, place)
    else if (isObject(value)) visitMembers(value as JsonObject, place)
  }

  const visitMembers = (object: JsonObject, { way, shape, isReplacing }: Place): void => {
    const clashes = isStrategic ? shape.unions.flatMap((union) => clashIn(union, object)) : []
    for (const { key, message } of clashes) found(below(way, key), message)
    for (const key in object) {
      const value = object[key] ?? null
      // most of an override are scalars, of which none but null can be wrong
      if (typeof value === 'object') visit(value, { way: below(way, key), shape: shape.member(key), isReplacing })
    }
  }

  const visitItems = (items: readonly Json[], { way, shape, isReplacing }: Place): void => {
    const isMerged = isStrategic && shape.keys.length > 0 && !isReplacing
    const repeated = new Map(repetitions(items, shape.keys).map(({ index, earlier }) => [index, earlier]))
    items.forEach((item, index) => {
      if (!isMerged && typeof item !== 'object') return // as an argument, of which none can be wrong
      const here = below(way, index)
      const earlier = repeated.get(index)
      if (earlier !== undefined) {
        const message = `duplicate of [${earlier}] (${describe(item, shape.keys)})`
        found(shape.keys.length === 1 ? below(here, shape.keys[0]?.key ?? '') : here, message, 'FieldValueDuplicate')
      }
      if (!isMerged) visit(item, { way: here, shape: shape.items(), isReplacing: true })
      else if (item === null) found(here, NULL_ITEM)
      else if (!isObject(item)) found(here, `expected object, got ${showValue(item)}`, 'FieldValueTypeInvalid')
      else {
        for (const { key } of missing(item, shape.keys)) found(below(here, key), 'required', 'FieldValueRequired')
        visit(item, { way: here, shape: shape.items(), isReplacing: false })
      }
    })
  }

  visitMembers(override, { way: TOP, shape, isReplacing: false })
  return errors
}

const missing = (item: unknown, keys: readonly ListKey[]): readonly ListKey[] =>
  keys.filter((key) => identityOf(item, [key]) === undefined)

/** `containerPort 80, protocol "TCP"` */
export const describe = (item: unknown, keys: readonly ListKey[]): string => {
  const values = keyValues(item, keys)
  return keys.map(({ key }, at) => `${key} ${showValue(values[at])}`).join(', ')
}

interface Clash {
  readonly key: string
  readonly message: string
}

function clashIn(union: Union, object: JsonObject): readonly Clash[] {
  const isSet = (key: string) => (member(object, key) ?? null) !== null
  if (union.is === 'byType') {
    const { type } = objectOr(object)
    if (typeof type !== 'string' || type === union.type || !isSet(union.member)) return []
    return [{ key: union.member, message: `only with type ${union.type}, not ${showValue(type)}; remove one` }]
  }
  const [kept, ...others] = union.members.filter(isSet)
  return others.map((key) => ({ key, message: `not beside ${kept}: only one of them can be set; remove one` }))
}
