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

/** How long one look lets others go first, and how many at once do: what they have to tell must not age or pile up. */
const GIVE_WAY_MS = 1_000
const MAX_PARKED = 512

export interface WorkersOptions {
  readonly queue: KeyQueue
  /** One look at a key. What it throws counts as a failure of that key. */
  readonly reconcile: (key: Key, turn: Turn) => Promise<Requeue>
  /** Resolves once the caches have seen what the look at `key` wrote. */
  readonly caughtUp: (key: Key) => Promise<void>
  readonly timers: Timers
  readonly log: Log
  readonly count?: number
}

/** What a look is given beside its key. */
export interface Turn {
  /** aborts when the look has taken too long, or the process ends */
  readonly signal: AbortSignal
  /** Lets keys that wait for a worker go first, for a second at most; at once where none waits. The key stays taken. */
  readonly giveWay: () => Promise<void>
}

/** A look that has given way. */
interface Parked {
  readonly dueMs: number
  /** lets it go on; resolves when it has ended */
  readonly goOn: () => Promise<void>
}

/** Those who look at keys: so many at once, each key with one of them. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #stopping = new AbortController()
  readonly #parked: Parked[] = []
  #running: Promise<unknown> | undefined
  #busy = 0

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  /** Workers with a key. Keys that give way or only wait for the caches occupy none. */
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
      await this.#begin(key)
      for (let parked = this.#next(); parked; parked = this.#next()) await parked.goOn()
      this.#busy -= 1
    }
    for (let parked = this.#parked.shift(); parked; parked = this.#parked.shift()) await parked.goOn()
  }

  /** A look that may go on: nobody waits, or it has waited long enough. */
  #next(): Parked | undefined {
    const { queue, timers } = this.#options
    const isDue = queue.depth === 0 || (this.#parked[0]?.dueMs ?? Number.POSITIVE_INFINITY) <= timers.now()
    return isDue ? this.#parked.shift() : undefined
  }

  /** Resolves when the look at `key` has ended, or gives way. */
  #begin(key: Key): Promise<void> {
    const { queue, timers } = this.#options
    const leave = Promise.withResolvers<void>()
    const giveWay = async (): Promise<void> => {
      if (queue.depth === 0 || this.#parked.length >= MAX_PARKED) return
      const turn = Promise.withResolvers<void>()
      const goOn = () => {
        turn.resolve()
        return ended
      }
      this.#parked.push({ dueMs: timers.now() + GIVE_WAY_MS, goOn })
      leave.resolve()
      await turn.promise
    }
    const ended = this.#look(key, giveWay)
    return Promise.race([ended, leave.promise])
  }

  async #look(key: Key, giveWay: () => Promise<void>): Promise<void> {
    const { queue, reconcile, timers } = this.#options
    const limit = startDeadline(timers, RECONCILE_LIMIT_MS, this.#stopping.signal)
    try {
      const requeue = await reconcile(key, { signal: limit.signal, giveWay })
      if (requeue === 'backoff') queue.retry(key)
      else queue.succeed(key)
      if (typeof requeue === 'object') queue.addAfter(key, requeue.afterMs)
    } catch (error) {
      this.#fail(key, error)
    } finally {
      limit.end()
    }
    void this.#release(key)
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
