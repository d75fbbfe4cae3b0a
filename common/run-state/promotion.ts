import { withDefaults } from '../api/defaults.ts'
import { ABSENT, knownValue } from '../api/known.ts'
import { PROMOTION_MANAGER } from '../api/names.ts'
import type { KubeObject, ManagedFieldsEntry } from '../api/object.ts'
import type { PromotionMode, PromotionStatus } from '../api/strategy.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { sha256Of } from '../json/canonical.ts'
import { at, isEmpty, isObject, type JsonObject, objectOr } from '../json/json.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { declaredBy } from '../strategy/declared.ts'
import { type Promotion, promotionOf, type SourceOverride } from '../strategy/promotion.ts'
import type { StrategyRunSpec } from '../strategy/run-spec.ts'
import { shortNameOf } from '../text/short-name.ts'

/** What a promotion lays over what. */
export function sourceOverride({ experiment, schema }: SpecFacts, source: KubeObject): SourceOverride {
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  const shape = knownValue(schema)?.shape ?? NO_SHAPE
  return { spec: objectOr(source.spec) as JsonObject, overrideSpec, overrideType, shape }
}

/** What the override changes in `source`; undefined if it cannot be merged into it. */
export const promotionInto = (facts: SpecFacts, source: KubeObject): Promotion | undefined =>
  promotionOf(sourceOverride(facts, source))

/**
 * Whether nothing of the promotion is in the source, as it was just read. What would be written may be recorded
 * already. False where the source was not read.
 */
export function isUntouched(facts: SpecFacts): boolean {
  const source = knownValue(facts.promotion?.source ?? ABSENT)
  const isWritten = facts.experiment.status?.promotion?.written !== undefined
  return source !== undefined && !isWritten && promotionInto(facts, source)?.isDone === false
}

/** Whether the source has the change, by whomever. An override without any change says nothing. */
export function hasChange(facts: SpecFacts): boolean {
  const source = knownValue(facts.source)?.object
  if (!source || isEmpty(facts.experiment.spec.overrideSpec)) return false
  return promotionInto(facts, source)?.isDone === true
}

/**
 * Whether the source has lost the change since it had it. A cache may still have the state before our write: after a
 * write without a reply it is not known which version that was.
 */
export function isReverted(facts: SpecFacts): boolean {
  const source = knownValue(facts.source)?.object
  const { written } = facts.experiment.status?.promotion ?? {}
  if (!source || !written || written.generation === 0) return false
  const { uid, generation = 0 } = source.metadata
  const isOutdated = uid === written.uid && generation < written.generation
  return !isOutdated && promotionInto(facts, source)?.isDone === false
}

/**
 * Whether a promotion was the last to write the spec of `source`, as its managed fields tell. They have whole seconds:
 * of two writes in one second the last is not known.
 */
function isPromotedLast({ metadata: { managedFields = [] } }: KubeObject): boolean {
  const timeOf = ({ time, fieldsV1 }: ManagedFieldsEntry) =>
    isObject(at(fieldsV1, 'f:spec')) ? Date.parse(time ?? '') : Number.NEGATIVE_INFINITY
  const isOurs = ({ manager }: ManagedFieldsEntry) => manager === PROMOTION_MANAGER
  const last = (entries: readonly ManagedFieldsEntry[]) => Math.max(...entries.map(timeOf), Number.NEGATIVE_INFINITY)
  return last(managedFields.filter(isOurs)) > last(managedFields.filter((entry) => !isOurs(entry)))
}

export type SourceVersion = NonNullable<PromotionStatus['written']>

const versionOf = ({ metadata: { uid = '', generation = 0 } }: KubeObject): SourceVersion => ({ uid, generation })

/** The version of a source of which it is not known who wrote it last. No source has it: generations begin with 1. */
export const unknownVersion = (source: KubeObject): SourceVersion => ({ ...versionOf(source), generation: 0 })

/**
 * The version of a source that has the change: as it is, where others made the change. Ours is the one that our write
 * made. If the reply to that was lost, it is the present one unless others have written since.
 */
export function versionWith(source: KubeObject, stored: PromotionStatus | undefined): SourceVersion {
  if (!stored?.record) return versionOf(source)
  return stored.written ?? (isPromotedLast(source) ? versionOf(source) : unknownVersion(source))
}

/** Whether others made the change and took it back: then nothing of the promotion is in the source. */
export const isTakenBack = (facts: SpecFacts): boolean =>
  facts.experiment.status?.promotion?.record === undefined && isReverted(facts)

/** Who writes a source: the controller by `mode`, or with `Export` somebody else, and why if nobody asked for that. */
export interface PromotionWriter {
  readonly mode: PromotionMode
  readonly because?: {
    readonly reason: 'NotInstalled' | 'SourceIsDeclared'
    /** for `status.promotion.declaredBy` */
    readonly by: string
    readonly message: string
  }
}

interface Promoted {
  /** undefined while there is none, or if the override cannot be merged into it */
  readonly source: KubeObject | undefined
  readonly promotion: Promotion | undefined
  /** whether the installation lets the controller write sources */
  readonly isInstalled: boolean
}

/** Decides who writes the source. The webhook warns of it, and the controller acts on it. */
export function promotionWriter(spec: StrategyRunSpec, { source, promotion, isInstalled }: Promoted): PromotionWriter {
  if (!isInstalled) return { mode: 'Export', because: NOT_INSTALLED }
  if (!source || !promotion || spec.force) return { mode: spec.mode }
  const declarer = declaredBy(source, promotion.forward)
  if (declarer === undefined) return { mode: spec.mode }
  const message = `${declarer} declares ${shortNameOf(source)}, so it is not written`
  return { mode: 'Export', because: { reason: 'SourceIsDeclared', by: declarer, message } }
}

const NOT_INSTALLED = {
  reason: 'NotInstalled',
  by: 'an installation without the component "promotion"',
  message: 'this installation has no component "promotion", so it writes no sources',
} as const

/** RFC 7386: to the promoted values of a source, and back to its former ones. */
export type Patches = Pick<Promotion, 'forward' | 'inverse'>

/** The record of a promotion that the API server has now, whosever it is. */
export const liveRecord = ({ promotion }: SpecFacts): KubeObject | undefined =>
  knownValue(promotion?.record ?? { is: 'absent' })

const DIGITS = 16

/** What the status says of a record: many users may replace a ControllerRevision. */
export const recordIdOf = (record: KubeObject) => ({ name: record.metadata.name, hash: sha256Of(record.data, DIGITS) })

/** Whether the status has the hash of `record`. */
export const isTold = ({ experiment }: SpecFacts, record: KubeObject): boolean =>
  experiment.status?.promotion?.record?.hash === recordIdOf(record).hash

/** Both patches that `record` has, whosever it is; undefined if it has not both. */
export function patchesOf(record: KubeObject): Patches | undefined {
  const [forward, inverse] = [at(record.data, 'forward'), at(record.data, 'inverse')]
  return isObject(forward) && isObject(inverse)
    ? { forward: forward as JsonObject, inverse: inverse as JsonObject }
    : undefined
}

/** Both patches of the record of which the status has the hash; undefined if it is gone or somebody replaced it. */
export function recordedPatches(facts: SpecFacts): Patches | undefined {
  const record = liveRecord(facts)
  return record && isTold(facts, record) ? patchesOf(record) : undefined
}
