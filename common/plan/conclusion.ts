import type { KubeObject } from '../api/object.ts'
import type { SourceStatus } from '../api/types.ts'
import type { Health } from '../workload/kind.ts'
import type { Decision, State } from './decision.ts'
import type { PolicyDecision } from './policy-decision.ts'
import type { Write } from './write.ts'

/** The result of a pass. Conditions, Events, the log line and the requeue follow from it. */
export type Conclusion = Decision & {
  /** the fork after the pass; undefined if there is none */
  readonly fork: KubeObject | undefined
  /** what the fork is derived from, if this pass derived it */
  readonly source: (() => SourceStatus) | undefined
  /** absent when policies no longer matter: the experiment has expired or is being deleted */
  readonly policy?: PolicyDecision
}

/** A place under a policy's limit. It can be reserved only if no other reservation was made since `asOf`. */
export interface Reservation {
  readonly replicas: number
  readonly asOf: number
}

/** What to write, in this order, and the conclusion if every write succeeds. */
export interface Plan {
  readonly reservation?: Reservation
  readonly writes: readonly Write[]
  readonly conclusion: Conclusion
}

/** No event says that a quota was raised or a permission was granted, so the pass is repeated after this time. */
export const RECHECK_MS = 60_000

/** The state of an experiment whose fork is as derived. The health of the fork decides it. */
export function stateOf(health: Health): State {
  if (health.is === 'progressing')
    return { is: 'waiting', retryAfterMs: Math.min(RECHECK_MS, health.recheckAfterMs ?? RECHECK_MS) }
  return { is: health.is === 'ready' ? 'settled' : health.is }
}
