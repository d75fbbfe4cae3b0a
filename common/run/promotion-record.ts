import { CONTROLLER_REVISION } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { type Decision, nameConflict, stalled } from '../facts/decision.ts'
import type { Facts } from '../facts/facts.ts'
import { isRevisionOf } from '../fork/pinned.ts'
import { at, type JsonObject } from '../json/json.ts'
import { authorOf } from '../outcome/conclusion.ts'
import { isHashInStatus, liveRecord, recordIdOf } from '../situation/promotion.ts'
import { changesIn } from '../situation/undo.ts'
import { mergePatchBetween, type Promotion, type SourceOverride } from '../strategy/promotion.ts'
import { differencesOf, type RecordedChange, recordedChanges } from '../strategy/recorded-changes.ts'
import type { Run } from '../strategy/run.ts'
import { takenBack } from '../strategy/take-back.ts'
import { shortNameOf } from '../text/short-name.ts'
import { promotionRecordName } from '../workload/identity.ts'
import { ownerOfRevision } from '../writes/revision-owner.ts'
import type { Write } from '../writes/write.ts'

/** What the record of a promotion is about. */
interface Recorded extends Pick<SourceOverride, 'spec' | 'shape'>, Pick<Promotion, 'after'> {
  readonly run: Run
}

/**
 * The largest record with a list of changes, in bytes. Beyond that it has the patches alone, as an earlier version
 * stores it: etcd takes one and a half MiB.
 */
const MAX_RECORD_BYTES = 1_048_576

/**
 * The ControllerRevision with all changes of the source, beside the fork: as a list, and as two patches for an earlier
 * version. What the run has recorded before stays in it, as far as it is still in the source: a write may have been
 * stored in part, or its reply may have been lost.
 */
export function recordOf(
  facts: Facts,
  { fork }: DesiredFork,
  { run: { run, attempt = 0, revision }, spec, after, shape }: Recorded,
): KubeObject {
  const { experiment } = facts
  const recordWith = (before: JsonObject): KubeObject => ({
    apiVersion: CONTROLLER_REVISION.apiVersion,
    kind: CONTROLLER_REVISION.kind,
    metadata: {
      name: promotionRecordName(experiment),
      namespace: fork.metadata.namespace ?? '',
      ...ownerOfRevision(experiment),
    },
    revision: 1,
    data: withChanges(
      {
        run,
        attempt,
        revision,
        forward: mergePatchBetween(before, after),
        inverse: mergePatchBetween(after, before),
        by: authorOf(experiment),
      },
      recordedChanges(differencesOf({ before, after }, shape)),
    ),
  })
  const live = liveRecord(facts)
  const former = live && changesIn(live, { spec, shape })
  if (!live || !former) return recordWith(spec)
  const withFormer = recordWith(takenBack(former, { spec, shape }).after)
  // the status has the hash of the live record, or already that of its replacement
  return isHashInStatus(facts, live) || isHashInStatus(facts, withFormer) ? withFormer : recordWith(spec)
}

function withChanges(patches: JsonObject, changes: readonly RecordedChange[]): JsonObject {
  const data = { ...patches, changes: changes as readonly (RecordedChange & JsonObject)[] }
  return Buffer.byteLength(JSON.stringify(data)) > MAX_RECORD_BYTES ? patches : data
}

/** Whether exactly this record is stored, and the status has its hash: many users may replace a ControllerRevision. */
export const isRecorded = (facts: Facts, record: KubeObject): boolean =>
  isHashInStatus(facts, record) && isStored(facts, record)

function isStored(facts: Facts, record: KubeObject): boolean {
  const stored = liveRecord(facts)
  return stored !== undefined && recordIdOf(stored).wholeHash === recordIdOf(record).wholeHash
}

/**
 * Stores the record: its hash in the status first, then the record itself. So this run has not written a record whose
 * hash is not in the status.
 */
export function recorded(facts: Facts, record: KubeObject, status: PromotionStatus) {
  const promotion = { ...status, record: recordIdOf(record) }
  if (!isHashInStatus(facts, record) || isStored(facts, record)) return { writes: [], promotion }
  const stored = liveRecord(facts)
  const create: Write = { verb: 'create', role: 'record', resource: CONTROLLER_REVISION, object: record }
  const remove: readonly Write[] = stored
    ? [{ verb: 'delete', role: 'record', resource: CONTROLLER_REVISION, of: stored }]
    : []
  return { writes: [...remove, create], promotion }
}

/**
 * Why an object that has the name of the record keeps the source from being written. What a record says is not used if
 * the status does not have its hash: somebody emptied the status, removed the strategy from the spec for a while, or
 * made the record. So the source may have had the change already, and only a person may ask for another write.
 */
export function recordObstacle(facts: Facts, run: Run, { source, stored }: Subject): Decision | undefined {
  const found = facts.promotion?.record
  // the genuine record can be read, so this is another object
  if (found?.is === 'unknown') {
    const name = `controllerrevision/${promotionRecordName(facts.experiment)}`
    return stalled('NameConflict', `${name} could not be read (${found.because}); delete it, and the run goes on`)
  }
  const record = liveRecord(facts)
  if (!record || isHashInStatus(facts, record)) return undefined
  if (!isRevisionOf(facts.experiment, record)) return nameConflict(shortNameOf(record))
  const isByPerson = run.command?.verb === 'promote' && run.command.answer === 'Done'
  if (stored?.record || isByPerson || !isRecordOf(run, record)) return undefined
  const [name, of] = [shortNameOf(record), shortNameOf(source)]
  const message = `${name} says that ${of} may have the change already, but the status does not know this record`
  return stalled('SourceReverted', `${message}; "promote" writes the change, and "abort" ends the run`)
}

interface Subject {
  readonly source: KubeObject
  /** what the status says of the promotion */
  readonly stored: PromotionStatus | undefined
}

/** Whether `record` says that it is of `run`. Many users may write it, so that alone proves nothing. */
const isRecordOf = (run: Run, { data }: KubeObject): boolean =>
  at(data, 'run') === run.run && Number(at(data, 'attempt') ?? 0) >= (run.attempt ?? 0)
