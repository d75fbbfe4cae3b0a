import type { Sent } from '../../common/kube/client/client.ts'
import { factsOf } from '../../common/kube/client/errors.ts'
import { type Cancel, pause, type Timers } from '../../common/program/clock.ts'
import type { Log } from '../../common/program/log.ts'
import type { Key, KeyQueue } from './queue.ts'

/** After this number of failures in a row, a probe shows whether the API server fails, or only some objects do. */
const FAILURES = 5
/** How long a probe waits for its answer. A list is given a minute otherwise, in which all keys would be handed out. */
export const PROBE_MS = 10_000
/** The time between two probes while keys are handed out, in milliseconds. */
const BETWEEN_PROBES_MS = 15_000
/** The waits between probes while no keys are handed out: the first one, doubled up to the last one. */
const FIRST_WAIT_MS = 1_000
const LAST_WAIT_MS = 15_000

interface BreakerOptions {
  /** what waits while the API server fails: the queue, and with it whatever else can wait */
  readonly queue: Pick<KeyQueue, 'pause' | 'resume'>
  /** a cheap read. @throws when the API server does not answer */
  readonly probe: (signal: AbortSignal) => Promise<unknown>
  readonly timers: Timers
  readonly log: Log
}

/**
 * The circuit breaker of the whole process. While the API server fails, no key is handed out, so that 1,000 experiments
 * do not send it 1,000 requests at every backoff. One probe, or any other answer, ends the pause, and the keys whose
 * passes failed go first.
 */
export class Breaker {
  readonly #options: BreakerOptions
  readonly #stopping = new AbortController()
  readonly #failed = new Set<Key>() // since the last pass that the API server answered
  #failures = 0 // in a row
  #answers = 0 // to all requests of the process
  #probedAtMs = Number.NEGATIVE_INFINITY
  #isProbing = false
  #isOpen = false
  #endWait: Cancel | undefined

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  /** Whether no keys are handed out. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** How many requests of the process the API server has answered. */
  get answers(): number {
    return this.#answers
  }

  /**
   * Call this after a pass that the API server did not make fail, with the `answers` from before it. If there are no
   * more since, the pass shows nothing: it has asked nothing, or went on without what it could not read.
   */
  succeeded(answersBefore: number): void {
    if (!this.#isOpen && this.#answers > answersBefore) this.#forgetFailures()
  }

  /** Call this after a pass that failed because the API server did not answer, was throttled, or answered with 5xx. */
  failed(key: Key): void {
    this.#failures += 1
    this.#failed.add(key)
    const mayProbe = this.#options.timers.now() - this.#probedAtMs >= BETWEEN_PROBES_MS
    if (this.#failures >= FAILURES && mayProbe && !this.#isProbing && !this.#isOpen) void this.#probe()
  }

  /** Call this for each request of the process: any answer shows that the API server works again, also a refusal. */
  sent(sent: Pick<Sent, 'code' | 'isFromApiServer'>): void {
    if (!isAnswer(sent)) return
    this.#answers += 1
    if (this.#isOpen) this.#close()
  }

  /** Sends no more probes. */
  stop(): void {
    this.#stopping.abort()
    this.#endWait?.()
  }

  async #probe(): Promise<void> {
    const { probe, timers } = this.#options
    const { signal } = this.#stopping
    this.#isProbing = true
    for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LAST_WAIT_MS)) {
      this.#probedAtMs = timers.now()
      const answersBefore = this.#answers
      try {
        await probe(signal)
        break
      } catch (error) {
        // On a dead connection a probe fails long after the API server has answered other requests.
        if (this.#answers > answersBefore || signal.aborted) break
        this.#open(error)
      }
      const wait = new AbortController()
      this.#endWait = () => wait.abort()
      await pause(timers, waitMs, wait.signal)
      if (!this.#isOpen) break
    }
    this.#isProbing = false
    if (this.#isOpen) this.#close()
    else this.#forgetFailures() // the fault is in the way of some objects, which keep their own backoff
  }

  #open(error: unknown): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#options.queue.pause()
    this.#options.log.warn({ failures: this.#failures, ...factsOf(error) }, 'paused: the API server fails')
  }

  #forgetFailures(): void {
    this.#failures = 0
    this.#failed.clear()
  }

  #close(): void {
    this.#isOpen = false
    this.#endWait?.()
    const first = [...this.#failed]
    this.#forgetFailures()
    if (this.#stopping.signal.aborted) return
    this.#options.queue.resume(first)
    this.#options.log.info({ first: first.length }, 'resumed: the API server answers')
  }
}

/** The API server does not know this process, waited too long for its request, or has too much to do. */
const NO_ANSWERS: ReadonlySet<string> = new Set(['401', '408', '429'])

const isAnswer = ({ code, isFromApiServer }: Pick<Sent, 'code' | 'isFromApiServer'>): boolean =>
  isFromApiServer && /^[234]/.test(code) && !NO_ANSWERS.has(code)
