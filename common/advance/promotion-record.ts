import { CONTROLLER_REVISION } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { PromotionStatus } from '../api/strategy.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { authorOf } from '../conclusion/conclusion.ts'
import { ownerOfRevision } from '../conclusion/revision-owner.ts'
import type { Write } from '../conclusion/write.ts'
import type { Facts } from '../facts/facts.ts'
import { at } from '../json/json.ts'
import { isHashInStatus, liveRecord, type Patches, patchesOf, recordIdOf } from '../run-state/promotion.ts'
import { bothPatches } from '../strategy/promotion.ts'
import type { Run } from '../strategy/run.ts'
import { promotionRecordName } from '../workload/identity.ts'

/**
 * The ControllerRevision with both patches, beside the fork. What the run has recorded before stays in it: a write may
 * have been stored in part, or its reply may have been lost.
 */
export function recordOf(
  facts: Facts,
  { fork }: DesiredFork,
  { run: { run, attempt = 0, revision }, ...patches }: Patches & { readonly run: Run },
): KubeObject {
  const { experiment } = facts
  const recordWith = ({ forward, inverse }: Patches): KubeObject => ({
    apiVersion: CONTROLLER_REVISION.apiVersion,
    kind: CONTROLLER_REVISION.kind,
    metadata: {
      name: promotionRecordName(experiment),
      namespace: fork.metadata.namespace ?? '',
      ...ownerOfRevision(experiment),
    },
    revision: 1,
    data: { run, attempt, revision, forward, inverse, by: authorOf(experiment) },
  })
  const live = liveRecord(facts)
  const former = live && patchesOf(live)
  if (!live || !former) return recordWith(patches)
  const withFormer = recordWith({
    forward: bothPatches(former.forward, patches.forward),
    inverse: bothPatches(former.inverse, patches.inverse),
  })
  // the status has the hash of the live record, or already that of its replacement
  return isHashInStatus(facts, live) || isHashInStatus(facts, withFormer) ? withFormer : recordWith(patches)
}

/** Whether exactly this record is stored, and the status has its hash: many users may replace a ControllerRevision. */
export const isRecorded = (facts: Facts, record: KubeObject): boolean =>
  isHashInStatus(facts, record) && isStored(facts, record)

function isStored(facts: Facts, record: KubeObject): boolean {
  const stored = liveRecord(facts)
  return stored !== undefined && recordIdOf(stored).hash === recordIdOf(record).hash
}

/**
 * Stores the record: its hash in the status first, then the record itself. So a record without its hash in the status
 * means that somebody emptied the status, or made the record.
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

/** The name of the record, if it says that it is of `run`. Many users may write it, so that alone proves nothing. */
export function recordClaiming(facts: Facts, run: Run): string | undefined {
  const record = liveRecord(facts)
  const isOfRun =
    at(record, 'data', 'run') === run.run && Number(at(record, 'data', 'attempt') ?? 0) >= (run.attempt ?? 0)
  return isOfRun ? record?.metadata.name : undefined
}
