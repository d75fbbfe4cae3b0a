import type { KubeObject } from '../../common/api/object.ts'
import type { Reason } from '../../common/api/reasons.ts'
import type { SourceStatus } from '../../common/api/types.ts'
import type { Health } from '../../common/workload/kind.ts'
import type { Judgement } from './policy-check.ts'

/**
 * What a pass concluded: done; not yet; kept, but not as asked; not until a person acts; or it broke and is tried
 * again. Condition, event, log and requeue are projections of it.
 */
export type Outcome = {
  readonly reason: Reason
  readonly message: string
  /** the fork as the pass leaves it, if there is one */
  readonly fork: KubeObject | undefined
  /** what the fork is derived from, where this pass derived it */
  readonly source: SourceStatus | undefined
  /** what policies say; absent where that no longer matters */
  readonly judgement?: Judgement
} & Verdict

export type Verdict =
  | { readonly is: 'settled' }
  | { readonly is: 'waiting'; readonly retryAfterMs: number }
  | { readonly is: 'unready' }
  | { readonly is: 'stalled' }
  | { readonly is: 'failed' }

/** When to look at a key again if nothing wakes it before. */
export type Requeue = 'never' | 'backoff' | { readonly afterMs: number }

/** Nobody tells us when a quota is raised, a name is freed or a schema appears. */
const LOOK_AGAIN_MS = 60_000

/** When `outcome` wants another look. */
export function requeue(outcome: Verdict): Requeue {
  switch (outcome.is) {
    case 'settled':
    case 'unready': // an event will tell
      return 'never'
    case 'waiting':
      return { afterMs: outcome.retryAfterMs }
    case 'stalled':
      return { afterMs: LOOK_AGAIN_MS }
    case 'failed':
      return 'backoff'
  }
}

/** The verdict on a fork that is as derived: its health decides. */
export function verdictOf(health: Health): Verdict {
  switch (health.is) {
    case 'ready':
      return { is: 'settled' }
    case 'progressing':
      return { is: 'waiting', retryAfterMs: Math.min(LOOK_AGAIN_MS, health.lookAgainMs ?? LOOK_AGAIN_MS) }
    case 'unready':
      return { is: 'unready' }
    case 'stalled':
      return { is: 'stalled' }
  }
}

/** `requeue`, but within `withinMs` at the latest. */
export function sooner(requeue: Requeue, withinMs: number): Requeue {
  if (withinMs === Number.POSITIVE_INFINITY || requeue === 'backoff') return requeue
  return { afterMs: requeue === 'never' ? withinMs : Math.min(requeue.afterMs, withinMs) }
}
