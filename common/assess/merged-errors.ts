import type { KubeObject } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import { inDocumentOrder } from '../json/document-order.ts'
import { formatPath } from '../json/field-path.ts'
import { isObject, type JsonObject, member } from '../json/json.ts'
import { overridePath } from '../override/override-path.ts'
import type { Shape } from '../override/shape.ts'
import type { KnownFields, SpecError, SpecSchema } from '../override/spec-schema.ts'
import type { Origin } from '../pod/containers.ts'
import type { ValueError } from '../pod/field.ts'
import { isLeftToApiServer, valueErrors } from '../pod/value-errors.ts'

/** A fork, and the fork without the override. */
interface MergedResult extends Origin {
  readonly fork: KubeObject
  /** computed only where something is wrong */
  readonly plain: () => KubeObject
  readonly overrideSpec: JsonObject
}

/** A mistake of the author. */
export interface Mistake extends FieldError {
  /** the API server has the rule, too, maybe another version of it, and its answer counts; absent: ours counts */
  readonly isLeftToApiServer?: true
}

/**
 * Every mistake of the merged spec, of its schema and of its values, at the field of the override that must be changed.
 * A mistake that the fork without the override has too is one of the source and not reported. Expects an override
 * without `overrideErrors`.
 */
export function mergedErrors(schema: SpecSchema, merged: MergedResult): readonly Mistake[] {
  const errors = wholeErrors(schema, merged.fork, merged)
  if (errors.length === 0) return [] // the usual case needs no comparison
  const before = new Set(wholeErrors(schema, merged.plain(), merged).map(identity))
  const reported = new Set<string>()
  const found = errors.flatMap((error) => {
    const finding = before.has(identity(error)) ? undefined : atOverride(error, schema.shape, merged)
    if (finding === undefined || reported.has(identity(finding))) return []
    reported.add(identity(finding))
    return [finding]
  })
  return inDocumentOrder('spec.overrideSpec', merged.overrideSpec, found)
}

/** A schema error has no `others`. */
type MergedError = SpecError & Mistake & Partial<Pick<ValueError, 'others'>>

/** The mistakes of the schema, and those of values in which the schema finds no mistake. */
function wholeErrors(schema: SpecSchema, { kind, spec }: KubeObject, origin: Origin): readonly MergedError[] {
  const invalid = [
    ...schema.checkWhole(isObject(spec) ? (spec as JsonObject) : {}),
    ...unknownFieldErrors(kind, member(spec, 'template'), schema.template),
  ]
  const fields = new Set(invalid.map(({ field }) => field))
  const values = valueErrors(kind, spec, origin).map((error) => ({
    ...error,
    field: formatPath('spec', error.path),
    ...(isLeftToApiServer(kind, error) ? { isLeftToApiServer: true as const } : {}),
  }))
  const isWithin = isWithinAny(fields)
  const others = values.filter(({ field }) => !isWithin(field))
  return [...invalid, ...others]
}

/** Tells whether `fields` has a field, or a field around it. What is around is looked up once for many neighbours. */
function isWithinAny(fields: ReadonlySet<string>): (field: string) => boolean {
  const around = new Map([['', false]])
  return function isWithin(field: string): boolean {
    if (fields.size === 0 || fields.has(field)) return fields.size > 0
    const parent = field.slice(0, Math.max(0, field.lastIndexOf('.'), field.lastIndexOf('[')))
    const known = around.get(parent) ?? isWithin(parent)
    around.set(parent, known)
    return known
  }
}

const identity = ({ field, message }: FieldError): string => `${field}: ${message}`

const NULLED = 'null removes a required field; leave this out, or give it a value'
const LACKING = 'required: neither the source nor the override has it; set it'

/**
 * The mistake at the place where the override has the value, or one that contradicts it. If it has neither, at the last
 * step of the path that it has.
 */
function atOverride(error: MergedError, shape: Shape, merged: MergedResult): Mistake {
  const { fork, overrideSpec, overrideType } = merged
  const about = { cause: error.cause, ...(error.isLeftToApiServer ? { isLeftToApiServer: true as const } : {}) }
  const places = [error, ...(error.others ?? [])].flatMap((remedy) => {
    const place = overridePath({ spec: fork.spec, overrideSpec, overrideType, shape }, remedy.path)
    return place ? [{ ...place, remedy }] : []
  })
  const place = places.find(({ isWhole }) => isWhole) ?? places[0]
  if (!place) {
    // the override changes another field on which this value depends
    const where = formatPath('', error.path).slice(1)
    return { field: 'spec.overrideSpec', message: `${where}: ${error.message}`, ...about }
  }
  const { path, isNull, isWhole, remedy } = place
  const isRequired = error.cause === 'FieldValueRequired' && remedy === error
  const required = isNull ? NULLED : error.others ? error.message : LACKING
  const message = isRequired ? required : remedy.message
  const rest = remedy.path.slice(path.length)
  const where = isWhole || rest.length === 0 || !error.others ? '' : `${formatPath('', rest).replace(/^\./, '')} `
  return { field: formatPath('spec.overrideSpec', path), message: `${where}${message}`, ...about }
}

/**
 * The fields of a merged template that Kubernetes knows and the CRD of its kind does not: an Argo that is older than
 * the cluster. A strict apply would refuse the fork. Recurses as deep as `known`.
 */
export function unknownFieldErrors(
  kind: string,
  template: unknown,
  known: KnownFields | undefined,
): readonly SpecError[] {
  const errors: SpecError[] = []
  const message = `Kubernetes knows this field, but the ${kind}s of this cluster do not have it; remove it`
  const visit = (value: unknown, { members, items }: KnownFields, path: SpecError['path']): void => {
    if (Array.isArray(value)) {
      if (items) for (const [index, item] of value.entries()) visit(item, items, [...path, index])
      return
    }
    if (!isObject(value) || !members) return
    for (const key in value) {
      const below = members.get(key)
      const here = [...path, key]
      if (below) visit(value[key], below, here)
      else errors.push({ path: here, field: formatPath('spec', here), message, cause: 'FieldValueInvalid' })
    }
  }
  if (known) visit(template, known, ['template'])
  return errors
}
