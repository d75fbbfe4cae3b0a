import { formatPath, type Path } from '../common/api/field-path.ts'
import { isObject, type JsonObject, type KubeObject, member } from '../common/api/object.ts'
import type { FieldError, OverrideType } from '../common/api/types.ts'
import type { SpecError, SpecSchema } from '../common/workload/kind.ts'
import { type Identity, identityOf, type Shape } from '../common/workload/shape.ts'

/** A fork, and what it would be if nothing were overridden. */
export interface MergedResult {
  readonly fork: KubeObject
  readonly plain: KubeObject
  readonly overrideSpec: JsonObject
  readonly overrideType: OverrideType
}

/**
 * Everything wrong with the spec that comes of the merge, at the place in the override that is to be changed. What is
 * wrong without the override too, or where the override says nothing, is the source's affair. Expects an override in
 * which `overrideFindings` found nothing.
 */
export function mergedFindings(schema: SpecSchema, merged: MergedResult): readonly FieldError[] {
  const errors = wholeErrors(schema, merged.fork)
  if (errors.length === 0) return [] // as nearly always: nothing to compare
  const before = new Set(wholeErrors(schema, merged.plain).map(identity))
  const told = new Set<string>()
  return errors.flatMap((error) => {
    if (before.has(identity(error))) return []
    const finding = atOverride(error, schema.shape, merged)
    if (finding === undefined || told.has(identity(finding))) return []
    told.add(identity(finding))
    return [finding]
  })
}

const wholeErrors = (schema: SpecSchema, { spec }: KubeObject): readonly SpecError[] =>
  schema.checkWhole(isObject(spec) ? (spec as JsonObject) : {})

const identity = ({ field, message }: FieldError): string => `${field}: ${message}`

const NULLED = 'null removes a required field; leave this out, or give it a value'
const LACKING = 'required: neither the source nor the override has it; set it'

function atOverride(error: SpecError, shape: Shape, merged: MergedResult): FieldError | undefined {
  const { path, reach } = wayInto(merged, error.path, shape)
  if (reach === 'nothing') return undefined
  const { message, cause } = error
  const words = cause !== 'FieldValueRequired' ? message : reach === 'null' ? NULLED : LACKING
  return { field: formatPath('spec.overrideSpec', path), message: words, cause }
}

interface Way {
  /** as the override's author wrote it */
  readonly path: Path
  /** how far the override says something: to a null, some of the way or all of it, or not even its first step */
  readonly reach: 'null' | 'something' | 'nothing'
}

/**
 * The way in the override to what stands at `path` in the merged spec. Of Merge the same, for lists are replaced whole;
 * of Strategic an item of a keyed list is where the override has one of the same key.
 */
function wayInto({ fork, overrideSpec, overrideType }: MergedResult, path: Path, shape: Shape): Way {
  const way: (string | number)[] = []
  let place: Place = { value: overrideSpec, merged: fork.spec, shape, isByKeys: overrideType === 'Strategic' }
  for (const step of path) {
    const next = stepInto(place, step)
    if (next === undefined) break
    way.push(next.step)
    place = next
  }
  const rest = path.slice(way.length)
  if (place.value === null) return { path: way, reach: 'null' }
  if (way.length === 0) return { path, reach: 'nothing' }
  const [lacking] = rest // what is to be set has its path, though the override does not have it
  return { path: rest.length === 1 && typeof lacking === 'string' ? [...way, lacking] : way, reach: 'something' }
}

/** The same place in the override and in the merged spec. */
interface Place {
  readonly value: unknown
  readonly merged: unknown
  readonly shape: Shape
  /** whether lists from here on merge by their keys; not within one that is replaced */
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
