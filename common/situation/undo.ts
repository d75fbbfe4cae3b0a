import { ABSENT, knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { forkHealth } from '../fork/health.ts'
import { at, type JsonObject, objectOr } from '../json/json.ts'
import { changesBetween } from '../override/changes.ts'
import type { Shape } from '../override/shape.ts'
import { mergePatch } from '../override/strategic.ts'
import { isInPlace } from '../strategy/promotion.ts'
import { differencesIn, differencesOf, pathOf } from '../strategy/recorded-changes.ts'
import { type TakenBack, takenBack } from '../strategy/take-back.ts'
import { shortNameOf } from '../text/short-name.ts'
import { liveRecord, NOT_INSTALLED, patchesOf } from './promotion.ts'
import type { Patches, SpecSituation, Undo } from './situation.ts'
import { isStoredAs } from './source-has.ts'

/** A source, and the shape of its `spec`. */
interface Undone {
  readonly source: KubeObject
  readonly spec: JsonObject
  readonly shape: Shape
  /** whether nobody has changed it since the promotion */
  readonly isAsWritten: boolean
  /** whether nobody has changed it since the undo wrote it; undefined: no undo did */
  readonly isAsRestored: boolean | undefined
}

/** What an undo can do; undefined where the source or the schema was not read, or if there is no promotion. */
export function undoOf(situation: SpecSituation): Undo | undefined {
  const { facts, recordedPatches: patches } = situation
  const source = knownValue(facts.promotion?.source ?? ABSENT)
  const shape = knownValue(facts.schema)?.shape
  const stored = facts.experiment.status?.promotion
  if (!source || !shape || !stored) return undefined
  const spec = objectOr(source.spec) as JsonObject
  const isAsWritten = stored.written !== undefined && isStoredAs(source, stored.written)
  const isAsRestored = stored.restored && isStoredAs(source, stored.restored)
  const record = liveRecord(facts)
  const found =
    record && patches
      ? taken(record, patches, { source, spec, shape, isAsWritten, isAsRestored })
      : situation.isUntouched
        ? { after: spec, taken: [], left: [] } // the record is stored before anything is written
        : lost(facts)
  if (typeof found === 'string') return { is: 'impossible', because: found }
  return { is: 'possible', isDone: changesBetween(spec, found.after, shape).length === 0, ...found }
}

/** Why an undo would do nothing; undefined if it can be made, or where that is not known. */
export function obstacleOfUndo({ installed, undo }: SpecSituation): string | undefined {
  if (!undo || (undo.is === 'possible' && undo.isDone)) return undefined
  if (undo.is === 'impossible') return undo.because
  return installed.promotion ? undefined : NOT_INSTALLED.message
}

/**
 * Why an undo cannot be aborted now; undefined if it can. Once the source is written, the fork serves instead of the
 * pods that the rollout of the source takes down, so the fork stays until the rollout ends or is stalled.
 */
export function obstacleOfAbort({ experiment, promotion, kind: found, now }: SpecFacts): string | undefined {
  const [source, kind] = [knownValue(promotion?.source ?? ABSENT), knownValue(found)]
  if (!source || !kind || !experiment.status?.promotion?.restored) return undefined
  if (forkHealth(kind, source, now).is !== 'progressing') return undefined
  return `the fork serves until the rollout of ${shortNameOf(source)} ends`
}

function lost({ promotion }: SpecFacts): string {
  const { record } = promotion ?? {}
  return `the record of the former values ${record?.is === 'unknown' ? `is not known: ${record.because}` : 'is gone'}`
}

/** A record of an earlier version has no list of changes. It is undone as that version does: whole, or not at all. */
function taken(record: KubeObject, { forward, inverse }: Patches, { source, ...of }: Undone): TakenBack | string {
  const changes = differencesIn(at(record.data, 'changes'))
  if (changes) return takenBack(changes, of)
  const { spec, shape, isAsWritten, isAsRestored } = of
  if (isInPlace(spec, inverse, shape)) return { after: spec, taken: [], left: [] }
  if (!(isAsRestored ?? (isAsWritten || isInPlace(spec, forward, shape)))) {
    const since = isAsRestored === undefined ? 'the promotion' : 'it was restored'
    return `${shortNameOf(source)} was changed after ${since}, so it stays as it is`
  }
  const found = changesIn(record, of) ?? []
  return { after: mergePatch(spec, inverse), taken: found.map(({ steps }) => pathOf(steps)), left: [] }
}

/** The changes in `record`, which may be of another client or of an earlier version; undefined if there are none. */
export function changesIn(record: KubeObject, { spec, shape }: Pick<Undone, 'spec' | 'shape'>) {
  const patches = patchesOf(record)
  if (!patches) return undefined
  const [before, after] = [mergePatch(spec, patches.inverse), mergePatch(spec, patches.forward)]
  return differencesIn(at(record.data, 'changes')) ?? differencesOf({ before, after }, shape)
}
