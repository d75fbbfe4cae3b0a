import { LIMITS } from '../api/limits.ts'
import type { FieldError } from '../api/types.ts'
import { childOf, formatPath, type PathNode, pathOf, ROOT } from '../json/field-path.ts'
import { isObject, type Json, type JsonObject } from '../json/json.ts'
import { type Duplicate, findDuplicates, type Shape } from './shape.ts'
import { describeKeys } from './unmergeable.ts'

/**
 * A duplicate of `spec` that shares no object with it, without a second item with the same key, which server-side apply
 * refuses. Of two variables with the same name the last is kept, as in the kubelet; otherwise it is an error. A member
 * `__proto__`, which a CRD without a schema would accept, is left out.
 */
export function withUniqueItems(spec: JsonObject, shape: Shape) {
  const errors: FieldError[] = []
  const warnings: string[] = []

  const visit = (value: Json, at: Shape, path: PathNode): Json => {
    if (path.depth > LIMITS.depth) return tooDeep(path)
    if (Array.isArray(value)) return visitItems(value, at, path)
    if (!isObject(value)) return value
    const copy: Record<string, Json> = {}
    for (const key in value) {
      const inner = (value as JsonObject)[key] ?? null
      if (key === '__proto__') continue
      copy[key] = typeof inner === 'object' ? visit(inner, at.member(key), childOf(path, key)) : inner
    }
    return copy
  }

  const tooDeep = (path: PathNode): null => {
    const message = `nested deeper than ${LIMITS.depth} levels; flatten it in the source`
    errors.push({ field: fieldOf(path), message, cause: 'FieldValueInvalid' })
    return null
  }

  const visitItems = (items: readonly Json[], at: Shape, path: PathNode): readonly Json[] => {
    const copies = items.map((item, index) =>
      typeof item === 'object' ? visit(item, at.items(), childOf(path, index)) : item,
    )
    const repeated = findDuplicates(items, at.keys)
    if (repeated.length === 0) return copies
    const field = fieldOf(path)
    if (path.step !== 'env') {
      errors.push(...repeated.map((found) => duplicate(field, found, describeKeys(items[found.index], at.keys))))
      return copies
    }
    warnings.push(`${field} of the source sets a variable twice; the fork uses the last value`)
    const superseded = new Set(repeated.map(({ earlier }) => earlier))
    return copies.filter((_item, index) => !superseded.has(index))
  }

  return { spec: visit(spec, shape, ROOT) as JsonObject, errors, warnings }
}

const fieldOf = (way: PathNode): string => formatPath('spec', pathOf(way))

const duplicate = (list: string, { index, earlier }: Duplicate, key: string): FieldError => ({
  field: `${list}[${index}]`,
  message: `duplicate of [${earlier}] (${key}), which server-side apply refuses; remove one of them in the source`,
  cause: 'FieldValueDuplicate',
})
