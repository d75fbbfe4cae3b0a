import { factsOf, KubeError } from '../../common/kube/client/errors.ts'
import type { Cancel, Timers } from '../../common/program/clock.ts'
import { type Log, shouldLogRepetition } from '../../common/program/log.ts'
import { GRACE_MS } from '../runtime/worker.ts'
import { Retries } from './retries.ts'

/** What a sweep looks for exists for this time at most, and a little longer if the API server fails. */
const SWEEP_MS = 30_000

interface SweeperOptions {
  /** looks at everything, each by `look`, until `isStopped`. Should not throw */
  readonly sweep: () => Promise<void>
  /** for the log, where a look failed: completes the sentence "… is looked at again" */
  readonly what: string
  readonly timers: Timers
  readonly log: Log
}

/** Sweeps every 30 s. What fails in a sweep is tried again after 30 s, and then every minute. */
export class Sweeper {
  readonly #options: SweeperOptions
  readonly #retries: Retries
  readonly #ending = new AbortController()
  #cancel: Cancel = () => undefined
  #sweeping: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: SweeperOptions) {
    this.#options = options
    this.#retries = new Retries(options.timers)
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
    return this.#retries.size
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

  /**
   * Calls `attempt` for the object `uid`, unless it failed a short time ago. Logs a KubeError with `facts`. @throws
   * whatever else `attempt` throws
   */
  async look(uid: string, facts: Readonly<Record<string, unknown>>, attempt: () => Promise<unknown>): Promise<void> {
    const { log, what } = this.#options
    if (!this.#retries.isDue(uid)) return
    try {
      await attempt()
      this.succeeded(uid)
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      const failures = this.#retries.failed(uid)
      if (shouldLogRepetition(failures))
        log.warn({ ...facts, failures, ...factsOf(error) }, `${what} is looked at again`)
    }
  }

  /** Call this if nothing is to be done for the object `uid`: its next failure is the first one again. */
  succeeded(uid: string): void {
    this.#retries.succeeded(uid)
  }

  /** Forgets all objects but `uids`, because they are gone. */
  keepOnly(uids: ReadonlySet<string>): void {
    this.#retries.keepOnly(uids)
  }
}
