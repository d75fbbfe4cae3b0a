import type { KubeObject } from '../api/object.ts'
import type { FieldError, OverrideType } from '../api/types.ts'
import { formatPath, type Path } from '../json/field-path.ts'
import { isObject, type JsonObject, member } from '../json/json.ts'
import { type Identity, identityOf, type Shape } from '../override/shape.ts'
import type { SpecError, SpecSchema } from '../override/spec-schema.ts'

/** A fork, and the fork without the override. */
export interface MergedResult {
  readonly fork: KubeObject
  /** computed only where something is wrong */
  readonly plain: () => KubeObject
  readonly overrideSpec: JsonObject
  readonly overrideType: OverrideType
}

/**
 * Every mistake of the merged spec, at the field of the override that must be changed. A mistake that the fork without
 * the override has too, or at a place that the override does not set, is one of the source and not reported. Expects an
 * override without `overrideErrors`.
 */
export function mergedErrors(schema: SpecSchema, merged: MergedResult): readonly FieldError[] {
  const errors = wholeErrors(schema, merged.fork)
  if (errors.length === 0) return [] // the usual case needs no comparison
  const before = new Set(wholeErrors(schema, merged.plain()).map(identity))
  const reported = new Set<string>()
  return errors.flatMap((error) => {
    const finding = before.has(identity(error)) ? undefined : atOverride(error, schema.shape, merged)
    if (finding === undefined || reported.has(identity(finding))) return []
    reported.add(identity(finding))
    return [finding]
  })
}

const wholeErrors = (schema: SpecSchema, { spec }: KubeObject): readonly SpecError[] =>
  schema.checkWhole(isObject(spec) ? (spec as JsonObject) : {})

const identity = ({ field, message }: FieldError): string => `${field}: ${message}`

const NULLED = 'null removes a required field; leave this out, or give it a value'
const LACKING = 'required: neither the source nor the override has it; set it'

function atOverride(error: SpecError, shape: Shape, merged: MergedResult): FieldError | undefined {
  const place = overridePath(merged, error.path, shape)
  if (!place) return undefined
  const { message, cause } = error
  const words = cause !== 'FieldValueRequired' ? message : place.isNull ? NULLED : LACKING
  return { field: formatPath('spec.overrideSpec', place.path), message: words, cause }
}

/**
 * The path in the override to the value at `path` in the merged spec, as far as the override has it, and whether a null
 * ends it. Undefined if the override lacks even its first step. With Merge it is the same path, because lists are
 * replaced. With Strategic an item of a keyed list is the item of the override with the same key.
 */
function overridePath({ fork, overrideSpec, overrideType }: MergedResult, path: Path, shape: Shape) {
  const found: (string | number)[] = []
  let place: Place = { value: overrideSpec, merged: fork.spec, shape, isByKeys: overrideType === 'Strategic' }
  for (const step of path) {
    const next = stepInto(place, step)
    if (next === undefined) break
    found.push(next.step)
    place = next
  }
  if (place.value === null) return { path: found, isNull: true }
  if (found.length === 0) return undefined
  const [missing, ...more] = path.slice(found.length)
  // a missing field has a path although the override does not have it
  if (typeof missing === 'string' && more.length === 0) found.push(missing)
  return { path: found, isNull: false }
}

/** One place in the override and in the merged spec. */
interface Place {
  readonly value: unknown
  readonly merged: unknown
  readonly shape: Shape
  /** whether lists below merge by their keys; they do not in a list that is replaced */
  readonly isByKeys: boolean
}

function stepInto({ value, merged, shape, isByKeys }: Place, step: string | number) {
  if (typeof step === 'string')
    return isObject(value) && Object.hasOwn(value, step)
      ? { step, value: value[step], merged: member(merged, step), shape: shape.member(step), isByKeys }
      : undefined
  if (!Array.isArray(value)) return undefined
  const item: unknown = Array.isArray(merged) ? merged[step] : undefined
  const isMerged = isByKeys && shape.keys.length > 0
  const index = isMerged ? indexOf(value, identityOf(item, shape.keys), shape) : step
  return index < 0 || index >= value.length
    ? undefined
    : { step: index, value: value[index], merged: item, shape: shape.items(), isByKeys: isMerged }
}

const indexOf = (items: readonly unknown[], id: Identity | undefined, { keys }: Shape): number =>
  id === undefined ? -1 : items.findIndex((item) => identityOf(item, keys) === id)
