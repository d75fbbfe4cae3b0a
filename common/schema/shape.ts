import { isObject, listOr, member } from '../json/json.ts'
import { type ListKey, NO_SHAPE, type Shape } from '../override/shape.ts'
import { unionsOf } from '../override/unions.ts'
import type { Definitions, JsonSchema } from './transform.ts'

/** The shape of `definitions`. Each part is computed when it is asked for, and once. */
export function shapeOf(definitions: Definitions): Shape {
  const known = new Map<unknown, Shape>()
  const at = (place: unknown): Shape => {
    const found = known.get(place)
    if (found) return found
    const ref = member(place, '$ref')
    const node = typeof ref === 'string' ? member(definitions, ref.replace('#/definitions/', '')) : place
    const shape = isObject(node) ? (known.get(node) ?? shaped(node, at)) : NO_SHAPE
    known.set(node, shape).set(place, shape)
    return shape
  }
  return at(definitions.Strategic)
}

const shaped = (node: JsonSchema, at: (place: unknown) => Shape): Shape => ({
  member: (key) => at(member(node.properties, key) ?? node.additionalProperties),
  items: () => at(node.items),
  keys: listOr(node.uniqueBy).filter(isListKey),
  unions: isObject(node.properties) ? unionsOf(Object.keys(node.properties)) : [],
})

const isListKey = (key: unknown): key is ListKey => typeof member(key, 'key') === 'string'
