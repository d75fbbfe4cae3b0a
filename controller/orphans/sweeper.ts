import type { KubeObject } from '../../common/api/object.ts'
import { factsOf, KubeError, levelOf } from '../../common/kube/client/errors.ts'
import type { Cancel, Timers } from '../../common/program/clock.ts'
import { type Log, shouldLogRepetition } from '../../common/program/log.ts'
import { backoff } from '../runtime/backoff.ts'
import { GRACE_MS } from '../runtime/worker.ts'

/** What a sweep looks for exists for this time at most, and a little longer if the API server fails. */
const SWEEP_MS = 30_000
/** A lasting fault costs one try a minute, and the end of a fault is noticed after that time. */
const MAX_MS = 60_000
/** A timer may run a little before its time. A sweep then still finds what is due. */
const EARLY_MS = 1_000

/** The wait after several failures in a row. A sweep makes its tries one after the other, so they need no jitter. */
const pauseMs = backoff({ random: () => 0, firstMs: SWEEP_MS, maxMs: MAX_MS })

interface Failures {
  readonly inRow: number
  readonly dueMs: number
}

interface SweeperOptions {
  /** calls `begin`, then `look` for everything in the order of `inOrder`, until `isStopped`. Should not throw */
  readonly sweep: () => Promise<void>
  /** for the log, where a look failed: completes the sentence "… is looked at again" */
  readonly what: string
  readonly timers: Timers
  readonly log: Log
}

/** Sweeps every 30 s. What fails in a sweep is tried again after 30 s, and then every minute. */
export class Sweeper {
  readonly #options: SweeperOptions
  /** by uid, of what failed the last time */
  readonly #failures = new Map<string, Failures>()
  /** the namespaces in which a request of this sweep was not answered, or failed */
  readonly #failing = new Set<string>()
  readonly #ending = new AbortController()
  #cancel: Cancel = () => undefined
  #sweeping: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: SweeperOptions) {
    this.#options = options
  }

  /** Whether a running sweep should look at nothing more. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Aborts 20 s after `stop`. For the requests of a sweep: none may be under way when the Lease is given back. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** How many looks failed the last time. */
  get failing(): number {
    return this.#failures.size
  }

  /** Sweeps now and every 30 s from now on. */
  start(): void {
    this.#sweeping = this.#options.sweep().finally(() => {
      if (this.#isStopped) return
      this.#cancel = this.#options.timers.after(SWEEP_MS, () => this.start())
    })
  }

  /** Starts no more sweeps. Resolves when the running one has ended, whose requests are aborted after 20 s. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const abort = () => this.#ending.abort(new Error('the controller stops'))
    const cancel = this.#options.timers.after(GRACE_MS, abort)
    await this.#sweeping
    cancel()
    this.#cancel()
  }

  /** Begins a sweep over the objects `uids`. Forgets all others, because they are gone. */
  begin(uids: ReadonlySet<string>): void {
    for (const uid of this.#failures.keys()) if (!uids.has(uid)) this.#failures.delete(uid)
    this.#failing.clear()
  }

  /** The order of the looks of a sweep: what has failed least comes first, so that nothing is left out for ever. */
  inOrder<T>(found: readonly T[], uidOf: (of: T) => string): readonly T[] {
    const failures = (of: T) => this.#failuresOf(uidOf(of))
    return found.toSorted((a, b) => failures(a) - failures(b))
  }

  /**
   * Calls `attempt` for an object, unless it failed a short time ago. In a namespace where a slow webhook has held up
   * or failed a request, all other objects are left to the next sweep: each would take half a minute, and those of
   * other namespaces would wait for them. Logs a KubeError with `facts`. @throws whatever else `attempt` throws
   */
  async look(
    { uid = '', namespace = '' }: KubeObject['metadata'],
    facts: Readonly<Record<string, unknown>>,
    attempt: () => Promise<unknown>,
  ): Promise<void> {
    const { log, what, timers } = this.#options
    const dueMs = this.#failures.get(uid)?.dueMs ?? Number.NEGATIVE_INFINITY
    if (timers.now() < dueMs - EARLY_MS || this.#failing.has(namespace)) return
    try {
      await attempt()
      this.succeeded(uid)
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      if (error.kind === 'timeout' || error.kind === 'server') this.#failing.add(namespace)
      const failures = this.#failuresOf(uid) + 1
      this.#failures.set(uid, { inRow: failures, dueMs: timers.now() + pauseMs(failures) })
      if (shouldLogRepetition(failures))
        log[levelOf(error, failures, 'warn')]({ ...facts, failures, ...factsOf(error) }, `${what} is looked at again`)
    }
  }

  /** Call this if nothing is to be done for the object `uid`: its next failure is the first one again. */
  succeeded(uid: string): void {
    this.#failures.delete(uid)
  }

  /** How often a look at `uid` has failed in a row. */
  #failuresOf(uid: string): number {
    return this.#failures.get(uid)?.inRow ?? 0
  }
}
