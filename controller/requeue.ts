import { untilExpiryMs } from '../common/api/expiry.ts'
import type { DecisionState } from '../common/facts/decision.ts'
import { isPinned } from '../common/fork/pinned.ts'
import { type Conclusion, STALLED_RECHECK_MS } from '../common/outcome/conclusion.ts'
import type { Situation } from '../common/situation/situation.ts'
import { isBeingDeleted } from '../common/workload/identity.ts'
import type { Requeue } from './runtime/worker.ts'

/** No event wakes an experiment when its neighbours can be read again. */
const NEIGHBOURS_RETRY_MS = 60_000

/** ControllerRevisions are not watched, so no event reports that another client deleted or replaced a pinned base. */
const PINNED_RECHECK_MS = 60_000

/** A write that changed nothing causes no event, and the step of a run may be reached with it. */
const ACTED_RECHECK_MS = 1_000

/**
 * When an experiment gets its next pass if nothing wakes it before: the earliest of
 * - what the state of its conclusion needs,
 * - a report that was put off by `reportAgainMs` (Infinity for none),
 * - the next repair of the fork,
 * - another look at a fork or twin that leaves,
 * - the time after which something follows because the fork is alone behind a Service,
 * - the end of a pause of its run, or another look at the Services for which it waits,
 * - at once after a move of its run, or after whole hashes were added to it, as soon as that is stored,
 * - a second after a write that settled the fork: its step may be reached, or its analysis may begin,
 * - another look at the sizes of a fork and its source,
 * - another dry run, after one without an answer,
 * - its expiry,
 * - another read of neighbours that could not be read, or of a pinned base.
 */
export function requeue(situation: Situation, conclusion: Conclusion, reportAgainMs: number): Requeue {
  const { facts, hasExpired } = situation
  const expiresInMs = untilExpiryMs(facts.experiment, facts.now)
  const isEnding = isBeingDeleted(facts.experiment)
  const isUnread = facts.surroundings.neighbours.is === 'unknown' && !isEnding
  const { restMs = 0 } = conclusion.alone ?? {}
  const { run } = conclusion
  const isActive = !isEnding && !hasExpired
  const others = [
    reportAgainMs,
    ...(conclusion.repairInMs === undefined ? [] : [conclusion.repairInMs]),
    ...(conclusion.leaving ?? []).map(({ recheckMs }) => recheckMs),
    ...(conclusion.recheckMs === undefined ? [] : [conclusion.recheckMs]),
    ...(restMs > 0 ? [restMs] : []),
    ...(run?.restMs === undefined ? [] : [run.restMs]),
    ...((run?.moved || run?.addsHashes) && reportAgainMs === Number.POSITIVE_INFINITY ? [0] : []),
    ...((run?.acts || conclusion.analysis?.waitsForFork) && conclusion.is === 'settled' ? [ACTED_RECHECK_MS] : []),
    ...(facts.dryRun?.againInMs === undefined ? [] : [facts.dryRun.againInMs]),
    ...(isActive && expiresInMs > 0 ? [expiresInMs] : []),
    ...(isUnread ? [NEIGHBOURS_RETRY_MS] : []),
    ...(isActive && isPinned(facts.experiment) ? [PINNED_RECHECK_MS] : []),
  ]
  return earlier(requeueOf(conclusion), Math.min(...others))
}

/** When the state alone needs another pass. */
export function requeueOf(state: DecisionState): Requeue {
  switch (state.is) {
    case 'settled':
    case 'unready': // an event will wake it
      return 'never'
    case 'waiting':
      return { afterMs: state.retryAfterMs }
    case 'stalled':
      return { afterMs: STALLED_RECHECK_MS }
    case 'failed':
      return 'backoff'
  }
}

function earlier(requeue: Requeue, withinMs: number): Requeue {
  if (withinMs === Number.POSITIVE_INFINITY || requeue === 'backoff') return requeue
  return { afterMs: requeue === 'never' ? withinMs : Math.min(requeue.afterMs, withinMs) }
}
