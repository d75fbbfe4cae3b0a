import fc from 'fast-check'
import type { Json, JsonObject } from '../common/json/json.ts'

/** Keys as in manifests. There are few, so that two objects have some in common. */
const aKey = fc.constantFrom('a', 'b', 'c', 'name', 'spec', 'labels', 'x.y/z')

const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.string({ maxLength: 3 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(aKey, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}))

/** Any JSON object of a few levels. */
export const aJsonObject: fc.Arbitrary<JsonObject> = fc.dictionary(aKey, value, { maxKeys: 4, noNullPrototype: true })

/** `value` without nulls inside lists, because those are refused. */
export function withoutNullItems(value: Json, isInList = false): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map((item) => withoutNullItems(item, true))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, inner]) => inner !== null || !isInList)
  return Object.fromEntries(members.map(([key, inner]) => [key, withoutNullItems(inner, isInList)]))
}

/** Any JSON object that can be merged into another. */
export const aPatch: fc.Arbitrary<JsonObject> = aJsonObject.map((object) => withoutNullItems(object) as JsonObject)
