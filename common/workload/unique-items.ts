import { formatPath } from '../api/field-path.ts'
import { LIMITS } from '../api/limits.ts'
import { isObject, type Json, type JsonObject } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import { below, pathOf, TOP, type Way } from '../api/way.ts'
import { type Repetition, repetitions } from './repetitions.ts'
import type { Shape } from './shape.ts'
import { describe } from './unmergeable.ts'

/** A spec in which no two items of a keyed list have one key, as far as that can be had. */
export interface Unique {
  readonly spec: JsonObject
  readonly errors: readonly FieldError[]
  readonly warnings: readonly string[]
}

/**
 * A copy of `spec` that shares nothing with it. A stored workload may hold two items of one key, which server-side
 * apply refuses: of equal `env` names the last wins in the kubelet too, so it stays; one port under two names has no
 * such answer. A member `__proto__`, which a CRD without a schema would let through, is left out.
 */
export function withUniqueItems(spec: JsonObject, shape: Shape): Unique {
  const errors: FieldError[] = []
  const warnings: string[] = []

  const visit = (value: Json, at: Shape, path: Way): Json => {
    if (path.depth > LIMITS.depth) return tooDeep(path)
    if (Array.isArray(value)) return visitItems(value, at, path)
    if (!isObject(value)) return value
    const copy: Record<string, Json> = {}
    for (const key in value) {
      const inner = (value as JsonObject)[key] ?? null
      if (key === '__proto__') continue
      copy[key] = typeof inner === 'object' ? visit(inner, at.member(key), below(path, key)) : inner
    }
    return copy
  }

  const tooDeep = (path: Way): null => {
    const message = `nested deeper than ${LIMITS.depth} levels`
    errors.push({ field: fieldOf(path), message, cause: 'FieldValueInvalid' })
    return null
  }

  const visitItems = (items: readonly Json[], at: Shape, path: Way): readonly Json[] => {
    const copies = items.map((item, index) =>
      typeof item === 'object' ? visit(item, at.items(), below(path, index)) : item,
    )
    const repeated = repetitions(items, at.keys)
    if (repeated.length === 0) return copies
    const field = fieldOf(path)
    if (path.step !== 'env') {
      errors.push(...repeated.map((found) => duplicate(field, found, describe(items[found.index], at.keys))))
      return copies
    }
    warnings.push(`${field} of the source names a variable twice; the experiment takes the last`)
    const superseded = new Set(repeated.map(({ earlier }) => earlier))
    return copies.filter((_item, index) => !superseded.has(index))
  }

  return { spec: visit(spec, shape, TOP) as JsonObject, errors, warnings }
}

const fieldOf = (way: Way): string => formatPath('spec', pathOf(way))

const duplicate = (list: string, { index, earlier }: Repetition, key: string): FieldError => ({
  field: `${list}[${index}]`,
  message: `${key} is there already, as [${earlier}]; server-side apply takes it only once`,
  cause: 'FieldValueDuplicate',
})
