import { knownValue } from '../api/known.ts'
import { selects } from '../api/label-selector.ts'
import { COMMAND } from '../api/names.ts'
import type { KubeObject, Labels } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { formatPath, type Path } from '../json/field-path.ts'
import { at, isObject, type JsonObject, objectOr } from '../json/json.ts'
import { changesBetween } from '../override/changes.ts'
import { promotionInto, sourceOverride } from '../situation/promotion.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { WorkloadKind } from '../workload/kind.ts'
import { templateElsewhere } from '../workload/referent.ts'

/**
 * Why the source as it is now could not take what a promotion writes: its template is in another object, the API server
 * lets nobody change a field of the override, or its own selector would no longer select its pods.
 */
export const promotionErrors = (facts: SpecFacts): readonly FieldError[] =>
  facts.experiment.spec.promotion ? obstacles(facts).map(withRemedy) : []

const withRemedy = (error: FieldError): FieldError =>
  error.cause === 'FieldValueForbidden'
    ? { ...error, message: `${error.message}; remove this or spec.promotion` }
    : error

/** As `promotionErrors`, for the command `promote` to an experiment without `spec.promotion`. */
export const promoteErrors = (facts: SpecFacts): readonly FieldError[] =>
  facts.experiment.spec.promotion
    ? []
    : obstacles(facts).map(({ field, message }) => ({
        field: `metadata.annotations[${JSON.stringify(COMMAND)}]`,
        message: `promote: ${field === 'spec.promotion' ? message : `${field}: ${message}`}`,
        cause: 'FieldValueForbidden',
      }))

function obstacles(facts: SpecFacts): readonly FieldError[] {
  const { experiment, kind, source } = facts
  const [adapter, object] = [knownValue(kind), knownValue(source)?.object]
  if (!adapter || !object) return []
  const elsewhere = templateElsewhere(adapter, object)
  if (elsewhere !== undefined) return [{ field: 'spec.promotion', message: elsewhere, cause: 'FieldValueInvalid' }]
  const found = promotionInto(facts, object)
  if (!found) return []
  const { spec, shape } = sourceOverride(facts, object)
  const steps = changesBetween(spec, found.after, shape).map(({ path: [first] }) => first)
  const changed = new Set(steps.flatMap((step) => (step?.is === 'member' ? [step.key] : [])))
  return [...immutable(adapter, object, changed), ...unselected(object, found.after, experiment.spec.overrideSpec)]
}

function immutable({ mutableFields }: WorkloadKind, source: KubeObject, changed: ReadonlySet<string>) {
  if (!mutableFields) return []
  return [...changed].flatMap((field) =>
    mutableFields.includes(field)
      ? []
      : [forbidden([field], `cannot be changed in ${shortNameOf(source)} once that exists`)],
  )
}

/** One for each label that differs and on which the selector depends; one for all labels if they are removed whole. */
function unselected(source: KubeObject, after: JsonObject, override: unknown): readonly FieldError[] {
  const selector = at(source, 'spec', 'selector')
  const labels = labelsIn(after)
  if (!isObject(selector) || selects(selector, labels)) return []
  const before = labelsIn(source.spec)
  const message = `${shortNameOf(source)} selects its pods by this label; a promotion cannot change it`
  const written = at(override, ...LABELS)
  if (!isObject(written)) return [forbidden(LABELS, message.replace('this label', 'these labels'))]
  return Object.keys(written)
    .filter((key) => !selects(selector, withLabel(before, key, labels[key])))
    .map((key) => forbidden([...LABELS, key], message))
}

const LABELS = ['template', 'metadata', 'labels'] as const

const labelsIn = (spec: unknown): Labels => objectOr(at(spec, ...LABELS)) as Labels

function withLabel(labels: Labels, key: string, value: string | undefined): Labels {
  const { [key]: _former, ...others } = labels
  return value === undefined ? others : { ...others, [key]: value }
}

const forbidden = (path: Path, message: string): FieldError => ({
  field: formatPath('spec.overrideSpec', path),
  message,
  cause: 'FieldValueForbidden',
})
