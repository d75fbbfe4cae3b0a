import { RECONCILE_LIMIT_MS } from './runtime/worker.ts'

/** The longest times without progress, in milliseconds. Beyond them only a restart helps. */
export const LIMITS_MS = {
  /** a pass over any object takes milliseconds of CPU time. The probe of the manifest waits as long for an answer */
  eventLoop: 10_000,
  /** a pass is aborted before that; if it goes on, a request ignores its signal */
  pass: RECONCILE_LIMIT_MS + 30_000,
  /** a step of the election takes 5 s for each of its calls at most, and begins 3 s after the last */
  election: 30_000,
}

/** What makes progress, as milliseconds since it last did. */
interface ProgressAges {
  readonly heartbeat: { readonly idleMs: number }
  readonly controller: { readonly longestPassMs: number }
  readonly leader: { readonly idleMs: number }
}

/** The checks of `/livez`. None asks the API server: while that is away, a restart would not help. */
export const livenessChecks = ({ heartbeat, controller, leader }: ProgressAges) => ({
  'event loop': () => stuckCheck('blocked', heartbeat.idleMs, LIMITS_MS.eventLoop),
  passes: () => stuckCheck('a pass has been running', controller.longestPassMs, LIMITS_MS.pass),
  election: () => stuckCheck('no leader election step', leader.idleMs, LIMITS_MS.election),
})

const stuckCheck = (what: string, foundMs: number, limitMs: number): string | undefined =>
  foundMs > limitMs ? `${what} for ${Math.round(foundMs / 1_000)} s` : undefined
