import type { WindowAnswer } from '../../common/analysis/query/window-query.ts'
import { MOST_INTERVALS } from '../../common/analysis/run/windows.ts'

interface Failures {
  readonly inRow: number
  readonly retryAtMs: number
}

/** The run and the provider of one poll. Times are milliseconds since 1970. */
interface ProviderPoll {
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

  /**
   * Notes how a provider answered in one poll, in which several metrics may ask it. If it failed for one of them, it
   * counts as failed: it may limit the rate of requests. Its answer may demand a longer wait.
   */
  note({ run, provider, nowMs, intervalMs }: ProviderPoll, answers: readonly WindowAnswer[]): void {
    const ofRun = this.#failures.get(run) ?? new Map<string, Failures>()
    const waitsMs = answers.flatMap((answer) =>
      answer.is === 'failed' && !answer.lacksStart ? [answer.retryAfterMs ?? 0] : [],
    )
    if (waitsMs.length === 0) ofRun.delete(provider)
    else {
      const inRow = (ofRun.get(provider)?.inRow ?? 0) + 1
      const backoffMs = Math.min(MOST_INTERVALS, 2 ** (inRow - 1)) * intervalMs
      ofRun.set(provider, { inRow, retryAtMs: nowMs + Math.max(backoffMs, ...waitsMs) })
    }
    if (ofRun.size > 0) this.#failures.set(run, ofRun)
    else this.#failures.delete(run)
  }

  /** Forgets a run that has ended. */
  forget(run: string): void {
    this.#failures.delete(run)
  }
}
