import { withDefaults } from '../api/defaults.ts'
import { ABSENT, knownValue } from '../api/known.ts'
import { PROMOTION_MANAGER, SCALE_MANAGER } from '../api/names.ts'
import type { KubeObject, ManagedFieldsEntry } from '../api/object.ts'
import type { PromotionMode, PromotionStatus, StoredSource } from '../api/strategy.ts'
import type { Components, SpecFacts } from '../facts/facts.ts'
import { sha256Of, WHOLE } from '../json/canonical.ts'
import { at, isEmpty, isObject, type JsonObject, objectOr } from '../json/json.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { declaredBy } from '../strategy/declared.ts'
import { type Promotion, promotionOf, type SourceOverride } from '../strategy/promotion.ts'
import type { StrategyRunSpec } from '../strategy/run-spec.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { Patches, SpecSituation } from './situation.ts'
import { isStoredAs, sourceHas, storedSource } from './source-has.ts'

/** What decides what an override changes in an object. */
export type Overriding = Pick<SpecFacts, 'experiment' | 'schema'>

/** The override, and the `spec` of `source`, over which a promotion lays it. */
export function sourceOverride({ experiment, schema }: Overriding, source: KubeObject): SourceOverride {
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  const shape = knownValue(schema)?.shape ?? NO_SHAPE
  return { spec: objectOr(source.spec) as JsonObject, overrideSpec, overrideType, shape }
}

/** What the override changes in `source`; undefined if it cannot be merged into it. */
export const promotionInto = (facts: SpecFacts, source: KubeObject): Promotion | undefined =>
  promotionOf(sourceOverride(facts, source))

/**
 * Whether `source` has the change, no matter who made it; undefined if that is not known yet, or if the override cannot
 * be merged into it.
 */
export function hasOverride(facts: SpecFacts, source: KubeObject): boolean | undefined {
  const found = promotionInto(facts, source)
  return found && sourceHas(facts, source, found)
}

/**
 * Whether nothing of the promotion is in the source, as it was just read. The record of the promotion may exist
 * already. False where the source was not read.
 */
export function isUntouched(facts: SpecFacts): boolean {
  const source = knownValue(facts.promotion?.source ?? ABSENT)
  const isWritten = facts.experiment.status?.promotion?.written !== undefined
  return source !== undefined && !isWritten && hasOverride(facts, source) === false
}

/** Whether the source in the cache is known to have the change. False for an empty override. */
export function hasChange(facts: SpecFacts): boolean {
  const source = knownValue(facts.source)?.object
  if (!source || isEmpty(facts.experiment.spec.overrideSpec)) return false
  return hasOverride(facts, source) === true
}

/**
 * Whether the source had the change and has lost it. False while the cache still has the version before our write, and
 * where the version of our write is not known because its reply was lost.
 */
export function isReverted(facts: SpecFacts): boolean {
  const source = knownValue(facts.source)?.object
  const { written } = facts.experiment.status?.promotion ?? {}
  if (!source || !written || written.generation === 0) return false
  const { uid, generation = 0 } = source.metadata
  const isOutdated = uid === written.uid && generation < written.generation
  const isKnown = written.hash !== undefined && isStoredAs(source, written)
  return !isOutdated && !isKnown && hasOverride(facts, source) === false
}

/**
 * Whether a promotion was the last to write the spec of `source`, as its managed fields tell. Their times have whole
 * seconds: of two writes in one second the last is not known.
 */
export function isPromotedLast({ metadata: { managedFields = [] } }: KubeObject): boolean {
  const timeOf = ({ time, fieldsV1 }: ManagedFieldsEntry) =>
    isObject(at(fieldsV1, 'f:spec')) ? Date.parse(time ?? '') : Number.NEGATIVE_INFINITY
  const isOurs = ({ manager }: ManagedFieldsEntry) => manager === PROMOTION_MANAGER
  const isOther = ({ manager }: ManagedFieldsEntry) => manager !== PROMOTION_MANAGER && manager !== SCALE_MANAGER
  const last = (entries: readonly ManagedFieldsEntry[]) => Math.max(...entries.map(timeOf), Number.NEGATIVE_INFINITY)
  return last(managedFields.filter(isOurs)) > last(managedFields.filter(isOther))
}

/** Stands for the version of a source if it is not known who wrote it last. No source has generation 0. */
const unknownVersion = ({ metadata: { uid = '' } }: KubeObject): StoredSource => ({ uid, generation: 0 })

/**
 * The version of a source that has the change. Without a record, others made the change, and it is the present version.
 * With a record, it is the version that our write made, without its hash if it got the change later. If the reply to
 * that write was lost, it is the present version, or the unknown one if others have written since.
 */
export function versionWith(source: KubeObject, stored: PromotionStatus | undefined): StoredSource {
  if (!stored?.record) return storedSource(source)
  if (!stored.written) return isPromotedLast(source) ? storedSource(source) : unknownVersion(source)
  const { hash, ...version } = stored.written
  return hash === undefined || isStoredAs(source, stored.written) ? stored.written : version
}

/** Whether others made the change and reverted it: then nothing of the promotion is in the source. */
export const isTakenBack = (situation: SpecSituation): boolean =>
  situation.facts.experiment.status?.promotion?.record === undefined && situation.isReverted

/**
 * Who writes a source: the controller, or somebody else if `mode` is `Export`. `because`: why it is `Export`, whatever
 * the spec says.
 */
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
  readonly installed: Components
}

/** Decides who writes the source. The webhook warns of it, and the controller acts on it. */
export function promotionWriter(spec: StrategyRunSpec, { source, promotion, installed }: Promoted): PromotionWriter {
  if (!installed.promotion) return { mode: 'Export', because: NOT_INSTALLED }
  if (!source || !promotion || spec.force) return { mode: spec.mode }
  const declarer = declaredBy(source, promotion.forward)
  if (declarer === undefined) return { mode: spec.mode }
  const message = `${declarer} declares ${shortNameOf(source)}, so it is not written`
  return { mode: 'Export', because: { reason: 'SourceIsDeclared', by: declarer, message } }
}

export const NOT_INSTALLED = {
  reason: 'NotInstalled',
  by: 'an installation without the component "promotion"',
  message: 'this installation has no component "promotion", so it writes no sources',
} as const

/** The promotion record as the API server has it now. Another client may have replaced it. */
export const liveRecord = ({ promotion }: SpecFacts): KubeObject | undefined =>
  knownValue(promotion?.record ?? { is: 'absent' })

const DIGITS = 16

/**
 * Name and hashes of a record, as `status.promotion.record` stores them. Many users may replace a ControllerRevision,
 * so the whole hash proves which one it is.
 */
export function recordIdOf({ metadata: { name }, data }: KubeObject) {
  const wholeHash = sha256Of(data, WHOLE)
  return { name, hash: wholeHash.slice(0, DIGITS), wholeHash }
}

/** Whether the status has the hashes of `record`. Where an earlier version wrote it, it has the short one only. */
export function isHashInStatus({ experiment }: SpecFacts, record: KubeObject): boolean {
  const stored = experiment.status?.promotion?.record
  const { hash, wholeHash } = recordIdOf(record)
  return stored?.hash === hash && (stored.wholeHash ?? wholeHash) === wholeHash
}

/** The record in the status with the whole hash, if an earlier version stored the short one only of the live record. */
export function recordToAdd(facts: SpecFacts): PromotionStatus['record'] {
  const stored = facts.experiment.status?.promotion?.record
  const live = liveRecord(facts)
  if (!stored || stored.wholeHash !== undefined || !live || !isHashInStatus(facts, live)) return undefined
  return { ...stored, wholeHash: recordIdOf(live).wholeHash }
}

/** Both patches in `record`, which may be from another client; undefined if one is missing. */
export function patchesOf(record: KubeObject): Patches | undefined {
  const [forward, inverse] = [at(record.data, 'forward'), at(record.data, 'inverse')]
  return isObject(forward) && isObject(inverse)
    ? { forward: forward as JsonObject, inverse: inverse as JsonObject }
    : undefined
}

/** Both patches of the record of which the status has the hash; undefined if it is gone or somebody replaced it. */
export function recordedPatches(facts: SpecFacts): Patches | undefined {
  const record = liveRecord(facts)
  return record && isHashInStatus(facts, record) ? patchesOf(record) : undefined
}
