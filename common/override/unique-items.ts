import { OVERRIDE_LIMITS } from '../api/limits.ts'
import type { FieldError } from '../api/types.ts'
import { childOf, formatPath, type PathNode, ROOT, stepsTo } from '../json/field-path.ts'
import { isEqual, isObject, type Json, type JsonObject } from '../json/json.ts'
import { type Duplicate, findDuplicates, type Shape } from './shape.ts'
import { describeKeys } from './unmergeable.ts'
import { type Repeated, repeatedVariables } from './variables.ts'

/**
 * A duplicate of `spec` that shares no object with it, without items that repeat another one: the same item again, or a
 * variable that a later one of its name replaces, as in the kubelet, unless another one refers to the former value.
 * Server-side apply refuses two items with the same key. `isFlawed`: `flawsOf` finds something, which an override may
 * still replace. A member `__proto__`, which a CRD without a schema would accept, is left out.
 */
export function withUniqueItems(spec: JsonObject, shape: Shape) {
  const errors: FieldError[] = []
  const warnings: string[] = []
  let isFlawed = false

  const visit = (value: Json, at: Shape, path: PathNode): Json => {
    if (path.depth > OVERRIDE_LIMITS.depth) return tooDeep(path)
    if (Array.isArray(value)) return visitItems(value, at, path)
    if (!isObject(value)) return value
    const copy: Record<string, Json> = {}
    for (const key in value) {
      const inner = (value as JsonObject)[key] ?? null
      if (key === '__proto__') continue
      if (isInexact(inner)) isFlawed = true
      copy[key] = typeof inner === 'object' ? visit(inner, at.member(key), childOf(path, key)) : inner
    }
    return copy
  }

  const tooDeep = (path: PathNode): null => {
    const message = `nested deeper than ${OVERRIDE_LIMITS.depth} levels; flatten it in the source`
    errors.push({ field: fieldOf(path), message, cause: 'FieldValueInvalid' })
    return null
  }

  const visitItems = (items: readonly Json[], at: Shape, path: PathNode): readonly Json[] => {
    if (items.some(isInexact)) isFlawed = true
    const copies = items.map((item, index) =>
      typeof item === 'object' ? visit(item, at.items(), childOf(path, index)) : item,
    )
    const repeated = findDuplicates(items, at.keys)
    if (repeated.length === 0) return copies
    const isEnv = path.step === 'env'
    // these compare recursively, and only the copies are known to be no deeper than the limit
    const { dropped, isAmbiguous } = (isEnv ? repeatedVariables : repeatedItems)(copies, repeated)
    if (isAmbiguous) isFlawed = true
    if (dropped.size > 0) warnings.push(`${fieldOf(path)} of the source ${isEnv ? TWICE_SET : TWICE_LISTED}`)
    return copies.filter((_item, index) => !dropped.has(index))
  }

  return { spec: visit(spec, shape, ROOT) as JsonObject, errors, warnings, isFlawed }
}

/** Of two equal items the later is left out. */
function repeatedItems(items: readonly Json[], repeated: readonly Duplicate[]): Repeated {
  const again = repeated.filter(({ index, earlier }) => isEqual(items[index], items[earlier])).map(({ index }) => index)
  return { dropped: new Set(again), isAmbiguous: again.length < repeated.length }
}

const TWICE_SET = 'sets a variable twice; the fork uses the last value'
const TWICE_LISTED = 'lists the same item twice; the fork has it once'

/**
 * What server-side apply would refuse or change in `spec`, a base with its override, by path in the source: two items
 * with the same key, and integers that lost digits when they were read.
 */
export function flawsOf(spec: JsonObject, shape: Shape): readonly FieldError[] {
  const errors: FieldError[] = []
  const visit = (value: unknown, at: Shape, path: PathNode): void => {
    if (isInexact(value)) errors.push({ field: fieldOf(path), message: INEXACT, cause: 'FieldValueInvalid' })
    else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, at.items(), childOf(path, index))
      errors.push(
        ...findDuplicates(value, at.keys).map((found) =>
          duplicate(fieldOf(path), found, describeKeys(value[found.index], at.keys)),
        ),
      )
    } else if (isObject(value)) for (const key in value) visit(value[key], at.member(key), childOf(path, key))
  }
  visit(spec, shape, ROOT)
  return errors
}

const isInexact = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)

const INEXACT = 'an integer beyond 2^53 cannot be kept exactly; set a smaller one in the source, or in the override'

const fieldOf = (way: PathNode): string => formatPath('spec', stepsTo(way))

const duplicate = (list: string, { index, earlier }: Duplicate, key: string): FieldError => ({
  field: `${list}[${index}]`,
  message:
    `duplicate of [${earlier}] (${key}), which server-side apply refuses; ` +
    'remove one of them in the source, or replace the list with overrideType: Merge',
  cause: 'FieldValueDuplicate',
})
