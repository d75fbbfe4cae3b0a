import type { KubeObject } from '../../common/api/object.ts'
import { factsOf, isTransient, KubeError, levelOf } from '../../common/kube/client/errors.ts'
import type { Timers } from '../../common/program/clock.ts'
import { startDeadline } from '../../common/program/deadline.ts'
import { type Log, shouldLogRepetition } from '../../common/program/log.ts'
import { Yielder } from '../../common/program/yielder.ts'
import type { Breaker } from './breaker.ts'
import { FairSlots } from './fair-slots.ts'
import type { Key, KeyQueue } from './queue.ts'

/** How long one pass may take: its reads, a write and the status each 30 s. Its requests are aborted then. */
export const RECONCILE_LIMIT_MS = 90_000

/** A pass that takes longer gives its worker back, because it waits for an answer, for example of a slow webhook. */
const SLOW_MS = 1_000
/** The most slow passes that go on without a worker. Each may need a connection to the API server. */
export const MAX_SLOW = 64

/** How long running passes, and a running sweep, may go on after `stop`. */
export const GRACE_MS = 20_000

/** How long one pass yields, so that status writes do not become old. */
const YIELD_MS = 1_000

/** When a key gets its next pass if nothing wakes it before. */
export type Requeue = 'never' | 'backoff' | { readonly afterMs: number }

export interface WorkersOptions {
  readonly queue: KeyQueue
  /** Makes one pass over a key. An error that it throws counts as a failure of that key. */
  readonly reconcile: (key: Key, pass: Pass) => Promise<Requeue>
  /** Resolves when the caches have what the pass over `key` wrote. */
  readonly caughtUp: (key: Key) => Promise<void>
  /** the object of a key, as a cache has it; undefined: it is gone, and its key is no longer given a next pass */
  readonly objectOf: (key: Key) => Pick<KubeObject, 'metadata'> | undefined
  readonly breaker?: Pick<Breaker, 'answers' | 'succeeded' | 'failed'>
  readonly timers: Timers
  readonly log: Log
  readonly count?: number
}

/** What a pass gets in addition to its key. */
export interface Pass {
  /** counts the passes of this process: `reconcile` in its log lines */
  readonly number: number
  /** aborts when the pass takes too long, or when the process stops */
  readonly signal: AbortSignal
  /** shared by all passes, so that timers and answers have their turn between them */
  readonly yielder: Pick<Yielder, 'isLong' | 'nextTurn'>
  /**
   * Lets waiting keys go first, for a second at most. Returns at once if no waiting key could start now, or if the
   * yielded passes are already half of the free slots. The key stays with its pass.
   */
  readonly yieldToWrites: () => Promise<void>
}

/** A pass that has yielded. */
interface YieldedPass {
  readonly key: Key
  readonly dueMs: number
  /** resolves when it has ended */
  readonly ended: Promise<void>
  readonly goOn: () => void
}

const DEFAULT_COUNT = 16

/**
 * Takes keys from the queue and makes passes, `count` at once. A key is never in two passes. Timers run between passes
 * that find all that they need in caches: the election depends on one.
 */
export class Workers {
  readonly #options: WorkersOptions
  readonly #stopping = new AbortController()
  readonly #yielded: YieldedPass[] = []
  readonly #begunAtMs = new Map<Key, number>() // when each running pass began
  readonly #slots: FairSlots // those of the passes that have not yielded
  readonly #slow = new Set<Promise<void>>() // passes that go on without a worker
  readonly #yielder: Yielder
  #running: Promise<unknown> | undefined
  #busy = 0
  #passes = 0

  constructor(options: WorkersOptions) {
    this.#options = options
    this.#yielder = new Yielder(options.timers)
    this.#slots = new FairSlots((options.count ?? DEFAULT_COUNT) + MAX_SLOW)
  }

  /** The number of workers with a key. A key that has yielded, is slow or waits for the caches occupies no worker. */
  get busy(): number {
    return this.#busy
  }

  /** How long the oldest running pass has taken so far, in milliseconds. */
  get longestMs(): number {
    const [oldest] = this.#begunAtMs.values() // a Map keeps the order in which the passes began
    return oldest === undefined ? 0 : this.#options.timers.now() - oldest
  }

  start(): void {
    const { count = DEFAULT_COUNT } = this.#options
    this.#running ??= Promise.all(Array.from({ length: count }, () => this.#work()))
  }

  /** Starts no more passes. Resolves when the running ones have ended; after `graceMs` they are aborted. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    const { queue, timers } = this.#options
    queue.shutdown()
    const cancel = timers.after(graceMs, () => this.#stopping.abort(new Error('the controller stops')))
    await this.#running
    await Promise.all(this.#slow)
    cancel()
  }

  async #work(): Promise<void> {
    const { queue } = this.#options
    for (let key = await queue.get(this.#slots); key !== undefined; key = await queue.get(this.#slots)) {
      this.#busy += 1
      await this.#begin(key)
      for (let pass = this.#nextYielded(); pass; pass = this.#nextYielded()) await this.#untilFree(this.#goOn(pass))
      this.#busy -= 1
    }
    for (let pass = this.#yielded.shift(); pass; pass = this.#yielded.shift()) await this.#untilFree(this.#goOn(pass))
  }

  /**
   * Removes and returns a yielded pass that may continue: it gets a slot, and no key waits for a worker or it has
   * yielded long enough.
   */
  #nextYielded(): YieldedPass | undefined {
    return this.#takeYielded(this.#keysGoFirst ? this.#options.timers.now() : Number.POSITIVE_INFINITY)
  }

  #takeYielded(nowMs: number): YieldedPass | undefined {
    const place = this.#yielded.findIndex(({ key, dueMs }) => dueMs <= nowMs && this.#slots.mayTake(key))
    return place < 0 ? undefined : this.#yielded.splice(place, 1)[0]
  }

  /** Whether keys wait that a free worker would get. */
  get #keysGoFirst(): boolean {
    return this.#options.queue.hasKeyFor(this.#slots)
  }

  /** Continues a pass that has yielded. Resolves when it has ended. */
  #goOn({ key, ended, goOn }: YieldedPass): Promise<void> {
    this.#slots.take(key)
    goOn()
    return ended
  }

  /** Gives back a slot. A pass that has yielded long enough gets it before the keys that wait for it. */
  #giveBackSlot(key: Key): void {
    const { queue, timers } = this.#options
    this.#slots.giveBack(key)
    const due = this.#takeYielded(timers.now())
    if (due) this.#goOnWithoutWorker(this.#goOn(due))
    queue.handOut()
  }

  /** Starts a pass. Resolves when its worker is free: it has ended, has yielded or is slow. */
  #begin(key: Key): Promise<void> {
    const { timers } = this.#options
    const yielded = Promise.withResolvers<void>()
    const yieldToWrites = async (): Promise<void> => {
      // all may be of one namespace, which gets half of the slots; more could be aborted before they go on
      if (!this.#keysGoFirst || 2 * this.#yielded.length >= this.#slots.free) return
      const resumed = Promise.withResolvers<void>()
      this.#yielded.push({ key, dueMs: timers.now() + YIELD_MS, ended, goOn: resumed.resolve })
      this.#slow.delete(ended)
      this.#giveBackSlot(key)
      yielded.resolve()
      await resumed.promise
    }
    const ended = this.#pass(key, yieldToWrites)
    return this.#untilFree(ended, yielded.promise)
  }

  /** Resolves when a pass has ended, or goes on without its worker because it is slow or for one of the `others`. */
  async #untilFree(ended: Promise<void>, ...others: readonly Promise<void>[]): Promise<void> {
    const slow = Promise.withResolvers<void>()
    const cancel = this.#options.timers.after(SLOW_MS, () => {
      this.#goOnWithoutWorker(ended)
      slow.resolve()
    })
    await Promise.race([ended, slow.promise, ...others])
    cancel()
  }

  /** Lets a pass go on without a worker. When it ends, it continues a yielded pass, because no worker may do so. */
  #goOnWithoutWorker(ended: Promise<void>): void {
    this.#slow.add(ended)
    void ended.then(() => {
      const next = this.#slow.delete(ended) ? this.#nextYielded() : undefined
      if (next) this.#goOnWithoutWorker(this.#goOn(next))
    })
  }

  async #pass(key: Key, yieldToWrites: () => Promise<void>): Promise<void> {
    const { queue, reconcile, breaker, timers, objectOf } = this.#options
    while (this.#yielder.isLong) await this.#yielder.nextTurn()
    const answersBefore = breaker?.answers ?? 0
    const limit = startDeadline(timers, RECONCILE_LIMIT_MS, this.#stopping.signal)
    this.#passes += 1
    const number = this.#passes
    this.#begunAtMs.set(key, timers.now())
    queue.forgetLater(key)
    try {
      const requeue = await reconcile(key, { number, signal: limit.signal, yielder: this.#yielder, yieldToWrites })
      breaker?.succeeded(answersBefore)
      if (requeue === 'backoff') queue.retry(key)
      else queue.succeed(key)
      if (typeof requeue === 'object' && objectOf(key)) queue.addAfter(key, requeue.afterMs)
    } catch (error) {
      this.#fail(key, number, error)
      if (error instanceof KubeError && !isTransient(error)) breaker?.succeeded(answersBefore) // it was an answer
    } finally {
      limit.end()
      this.#begunAtMs.delete(key)
      this.#giveBackSlot(key)
    }
    void this.#release(key, number)
  }

  /** A pass fails because of a bug or a failing API server. Neither may end the process. */
  #fail(key: Key, reconcile: number, error: unknown): void {
    const { queue, log, breaker } = this.#options
    const failures = queue.retry(key, error instanceof KubeError ? error.retryAfterMs : 0)
    if (error instanceof KubeError && isTransient(error)) breaker?.failed(key)
    const facts = { ...this.#identityOf(key), reconcile, failures, ...factsOf(error) }
    if (shouldLogRepetition(failures)) log[levelOf(error, failures, 'error')](facts, 'reconcile failed')
  }

  /** What each log line of a pass says about its object. An object that is gone has only its key. */
  #identityOf(key: Key) {
    const { uid, generation } = this.#options.objectOf(key)?.metadata ?? {}
    return { key, uid, generation }
  }

  /** Gives the key back when the caches have its writes. An earlier pass would decide from outdated objects. */
  async #release(key: Key, reconcile: number): Promise<void> {
    const { queue, caughtUp, log } = this.#options
    try {
      await caughtUp(key)
    } catch (error) {
      log.error({ ...this.#identityOf(key), reconcile, ...factsOf(error) }, 'waiting for the caches failed')
    } finally {
      queue.done(key)
    }
  }
}
