import type { Timers } from '../../common/clock.ts'
import { startDeadline } from '../../common/deadline.ts'
import { factsOf, KubeError } from '../../common/kube/errors.ts'
import { isWorthALine, type Log } from '../../common/log.ts'
import type { Requeue } from '../reconcile/outcome.ts'
import type { Key, KeyQueue } from './queue.ts'

/** How long one look at a key may take; its requests end with it. */
const RECONCILE_LIMIT_MS = 30_000

/** How long looks under way may go on once the process is to stop. */
const GRACE_MS = 20_000

export interface WorkersOptions {
  readonly queue: KeyQueue
  /** One look at a key. What it throws counts as a failure of that key. */
  readonly reconcile: (key: Key, signal: AbortSignal) => Promise<Requeue>
  /** Resolves once the caches have seen what the look at `key` wrote. */
  readonly caughtUp: (key: Key) => Promise<void>
  readonly timers: Timers
  readonly log: Log
  readonly count?: number
}

/** Those who look at keys: so many at once, each key with one of them. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #stopping = new AbortController()
  #running: Promise<unknown> | undefined
  #busy = 0

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /** Workers with a key. Keys that only wait for the caches occupy none. */
  get busy(): number {
    return this.#busy
  }

  start(): void {
    const { count = 16 } = this.#options
    this.#running ??= Promise.all(Array.from({ length: count }, () => this.#work()))
  }

  /** No new looks; resolves once those under way have ended, which they are told to after `graceMs`. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    const { queue, timers } = this.#options
    queue.shutdown()
    const cancel = timers.after(graceMs, () => this.#stopping.abort(new Error('the controller stops')))
    await this.#running
    cancel()
  }

  async #work(): Promise<void> {
    const { queue } = this.#options
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      this.#busy += 1
      await this.#look(key)
      this.#busy -= 1
      void this.#release(key)
    }
  }

  async #look(key: Key): Promise<void> {
    const { queue, reconcile, timers } = this.#options
    const limit = startDeadline(timers, RECONCILE_LIMIT_MS, this.#stopping.signal)
    try {
      const requeue = await reconcile(key, limit.signal)
      if (requeue === 'backoff') queue.retry(key)
      else queue.succeed(key)
      if (typeof requeue === 'object') queue.addAfter(key, requeue.afterMs)
    } catch (error) {
      this.#fail(key, error)
    } finally {
      limit.end()
    }
  }

  /** A look that threw is one of our bugs or a failing API server: never the end of the process. */
  #fail(key: Key, error: unknown): void {
    const { queue, log } = this.#options
    const failures = queue.retry(key, error instanceof KubeError ? error.retryAfterMs : 0)
    if (isWorthALine(failures)) log.error({ key, failures, ...factsOf(error) }, 'reconcile failed')
  }

  /** Until its caches have passed our own writes a look at `key` would see the past: no worker gets it. */
  async #release(key: Key): Promise<void> {
    const { queue, caughtUp, log } = this.#options
    try {
      await caughtUp(key)
    } catch (error) {
      log.error({ key, ...factsOf(error) }, 'waiting for the caches failed')
    } finally {
      queue.done(key)
    }
  }
}
