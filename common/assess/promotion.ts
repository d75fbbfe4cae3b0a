import { withDefaults } from '../api/defaults.ts'
import { ABSENT, knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { PromotionMode } from '../api/strategy.ts'
import { hashOf } from '../json/canonical.ts'
import { at, isEmpty, isObject, type JsonObject, objectOr } from '../json/json.ts'
import { NO_SHAPE } from '../override/shape.ts'
import { declaredBy } from '../strategy/declared.ts'
import { type Overridden, type Promotion, promotionOf } from '../strategy/promotion.ts'
import type { RunSpec } from '../strategy/run-spec.ts'
import { shortNameOf } from '../text/short-name.ts'
import type { SpecFacts } from './facts.ts'

/** What a promotion lays over what. */
export function overriddenSource({ experiment, schema }: SpecFacts, source: KubeObject): Overridden {
  const { overrideSpec, overrideType } = withDefaults(experiment.spec)
  const shape = knownValue(schema)?.shape ?? NO_SHAPE
  return { spec: objectOr(source.spec) as JsonObject, overrideSpec, overrideType, shape }
}

/** What the override changes in `source`; undefined if it cannot be merged into it. */
export const promotionInto = (facts: SpecFacts, source: KubeObject): Promotion | undefined =>
  promotionOf(overriddenSource(facts, source))

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
export function promotionWriter(spec: RunSpec, { source, promotion, isInstalled }: Promoted): PromotionWriter {
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
export const idOf = (record: KubeObject) => ({ name: record.metadata.name, hash: hashOf(record.data, DIGITS) })

/** Both patches of the record of which the status has the hash; undefined if it is gone or somebody replaced it. */
export function recordedPatches(facts: SpecFacts): Patches | undefined {
  const record = liveRecord(facts)
  if (!record || idOf(record).hash !== facts.experiment.status?.promotion?.record?.hash) return undefined
  const [forward, inverse] = [at(record.data, 'forward'), at(record.data, 'inverse')]
  return isObject(forward) && isObject(inverse)
    ? { forward: forward as JsonObject, inverse: inverse as JsonObject }
    : undefined
}
