import fc from 'fast-check'
import type { Json, JsonObject } from '../common/api/object.ts'

/** Keys as manifests have them, few enough that two objects share some. */
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

/** Any JSON object, nested a little. */
export const aJsonObject: fc.Arbitrary<JsonObject> = fc.dictionary(aKey, value, { maxKeys: 4, noNullPrototype: true })
