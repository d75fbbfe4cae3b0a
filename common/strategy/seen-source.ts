import type { SeenSource } from '../api/strategy.ts'
import { sha256Of, WHOLE } from '../json/canonical.ts'
import type { JsonObject } from '../json/json.ts'
import { changesBetween } from '../override/changes.ts'
import { fieldNames, formerValues } from '../override/differences.ts'
import { listed } from '../text/list.ts'
import { promotionOf, type SourceOverride } from './promotion.ts'
import type { Run } from './run.ts'

/** How many values are shown, and the longest one, in characters. */
const MAX_SHOWN = 5
const MAX_VALUE = 256

/**
 * What the source has in the fields that a promotion changes; undefined if the override cannot be merged into it. Some
 * values may be secret, so only one hash of all is kept, and beside it those that a plan shows, too. A field that the
 * source does not have counts only once somebody adds it.
 */
export function seenSource(override: SourceOverride): SeenSource | undefined {
  const promotion = promotionOf(override)
  if (!promotion) return undefined
  const former = formerValues(changesBetween(override.spec, promotion.after, override.shape))
  const texts = former.flatMap(({ name, value, isShown }) => (isShown ? [[name, String(value)] as const] : []))
  const shown = texts.filter(([name, text]) => name.length + text.length <= MAX_VALUE).slice(0, MAX_SHOWN)
  return {
    values: sha256Of(former.map(({ name, value }) => JSON.stringify([name, value])).sort(), WHOLE),
    ...(shown.length > 0 ? { shown: Object.fromEntries(shown) } : {}),
  }
}

/** The run with the whole revision in what it has seen. At the step that promotes it is that of the step before. */
export function withSeen(run: Run, seen: SeenSource, isPromoting: boolean): Run {
  const { revision: former, ...values } = seen
  const revision = isPromoting ? (former ?? run.wholeRevision) : (run.wholeRevision ?? former)
  return { ...run, seen: { ...values, ...(revision === undefined ? {} : { revision }) } }
}

/**
 * What `run` has seen once somebody promotes it, who saw `values`: those that the run saw, or those of the source now.
 * Where it is not known what the person saw, the run keeps its own.
 */
export function seenByPromoter(
  values: string | undefined,
  { seen: former }: Run,
  sourceNow: () => SeenSource | undefined,
): SeenSource | undefined {
  if (values === undefined || values === former?.values) return former
  const now = sourceNow()
  return now?.values === values ? now : { values }
}

/**
 * Whether `override.spec` has in each field that a promotion changes what it had before, as in `former`, or what the
 * promotion makes of it. So it is after a write of ours that was stored in part, and whose reply was lost.
 */
export function isStoredInPart(override: SourceOverride, former: JsonObject, seen: SeenSource): boolean {
  const { spec, shape } = override
  const promotion = promotionOf(override)
  if (!promotion || seenSource({ ...override, spec: former })?.values !== seen.values) return false
  const changed = fieldNames(changesBetween(former, spec, shape))
  return fieldNames(changesBetween(spec, promotion.after, shape)).isDisjointFrom(changed)
}

/** In which shown fields the source differs from what the run saw, with both values. */
export function driftText(seen: SeenSource, now: SeenSource): string {
  const [before, present] = [seen.shown ?? {}, now.shown ?? {}]
  const texts = [...new Set([...Object.keys(before), ...Object.keys(present)])].flatMap((field) => {
    const [was = 'another one', is = 'another one'] = [before[field], present[field]]
    return was === is ? [] : [`${field} was ${was} and is ${is}`]
  })
  return texts.length > 0 ? listed(texts) : 'a field whose value is not shown has another one'
}
