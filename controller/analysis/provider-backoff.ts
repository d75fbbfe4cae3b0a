import type { WindowAnswer } from '../../common/analysis/query/window-query.ts'
import { MOST_INTERVALS } from '../../common/analysis/run/windows.ts'

interface Failures {
  readonly inRow: number
  readonly retryAtMs: number
}

/** What was asked. Times are milliseconds since 1970. */
export interface Asked {
  /** the uid of the run */
  readonly run: string
  readonly provider: string
  readonly nowMs: number
  readonly intervalMs: number
}

/** When a run may ask a provider again that failed: after one interval, then two, four, at most ten. */
export class ProviderBackoff {
  /** by run, then by provider */
  readonly #failures = new Map<string, Map<string, Failures>>()

  /** How many runs have a provider that failed. */
  get size(): number {
    return this.#failures.size
  }

  /** How many milliseconds a run has to wait until it asks a provider; 0 or less: now. */
  waitMs(run: string, provider: string, nowMs: number): number {
    return (this.#failures.get(run)?.get(provider)?.retryAtMs ?? nowMs) - nowMs
  }

  /** Notes how a provider answered. It may ask for more time itself. */
  note({ run, provider, nowMs, intervalMs }: Asked, answer: WindowAnswer): void {
    const ofRun = this.#failures.get(run) ?? new Map<string, Failures>()
    if (answer.is !== 'failed' || answer.lacksStart) ofRun.delete(provider)
    else {
      const former = ofRun.get(provider)
      // several metrics may ask the same provider in one poll
      const isSamePoll = former !== undefined && former.retryAtMs > nowMs
      const inRow = isSamePoll ? former.inRow : (former?.inRow ?? 0) + 1
      const backoffMs = Math.min(MOST_INTERVALS, 2 ** (inRow - 1)) * intervalMs
      const retryAtMs = nowMs + Math.max(backoffMs, answer.retryAfterMs ?? 0)
      ofRun.set(provider, { inRow, retryAtMs: isSamePoll ? Math.max(former.retryAtMs, retryAtMs) : retryAtMs })
    }
    if (ofRun.size > 0) this.#failures.set(run, ofRun)
    else this.#failures.delete(run)
  }

  /** Forgets a run that has ended. */
  forget(run: string): void {
    this.#failures.delete(run)
  }
}
