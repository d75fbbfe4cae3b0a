import type { Timers } from '../common/program/clock.ts'
import type { Key } from './runtime/queue.ts'
import type { WorkersOptions } from './runtime/worker.ts'

/** How a pass ended: `done`; `failed`, which a backoff follows; `error` for a bug or a failing API server. */
export type PassOutcome = 'done' | 'failed' | 'error'

/** Counts passes. */
interface PassObserver {
  readonly passed: (kind: string, outcome: PassOutcome, seconds: number) => void
}

type Reconcile = WorkersOptions['reconcile']

/** Makes passes report their kind, how they ended, and how long they took. */
export const measuringPasses =
  ({ passed }: PassObserver, timers: Pick<Timers, 'now'>) =>
  (reconcile: Reconcile, kindOf: (key: Key) => string | undefined): Reconcile =>
  async (key, pass) => {
    const startedAt = timers.now()
    const kind = kindOf(key) ?? 'None' // the experiment is gone
    const ended = (outcome: PassOutcome) => passed(kind, outcome, (timers.now() - startedAt) / 1_000)
    try {
      const requeue = await reconcile(key, pass)
      ended(requeue === 'backoff' ? 'failed' : 'done')
      return requeue
    } catch (error) {
      ended('error')
      throw error
    }
  }
