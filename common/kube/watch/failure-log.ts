import type { Timers } from '../../program/clock.ts'
import { type Log, shouldLogRepetition } from '../../program/log.ts'
import { factsOf } from '../client/errors.ts'

/** After this number of failures in a row, the version from which a watch starts may be the cause. */
const VERSION_DOUBTED_AFTER = 5

/** Kinds of failures that last until a person acts. They are logged once. */
const LASTING = new Set(['forbidden', 'kindAbsent'])

interface FailureLogOptions {
  readonly log: Log
  readonly timers: Pick<Timers, 'now'>
  /** called with the kind of every failure, but only once while a kind is absent: a probe of it is no restart */
  readonly onFailure: (kind: string) => void
}

/** Logs repeated failures of the same kind less and less often, until a success. */
export class FailureLog {
  readonly #options: FailureLogOptions
  #lastSuccessMs: number | undefined
  #kind = ''
  #times = 0
  #inRow = 0

  constructor(options: FailureLogOptions) {
    this.#options = options
  }

  /** Milliseconds since the last success; undefined before the first one. */
  get silentMs(): number | undefined {
    return this.#lastSuccessMs === undefined ? undefined : this.#options.timers.now() - this.#lastSuccessMs
  }

  /**
   * Counts one more failure in a row, and logs it unless one of its kind was logged recently. Returns whether there
   * were so many that the version itself may be the cause.
   */
  failed(kind: string, error: unknown): boolean {
    const { log, onFailure } = this.#options
    this.#inRow += 1
    this.#times = kind === this.#kind ? this.#times + 1 : 1
    this.#kind = kind
    if (kind !== 'kindAbsent' || this.#times === 1) onFailure(kind)
    if (LASTING.has(kind) ? this.#times === 1 : shouldLogRepetition(this.#times))
      log.warn({ ...factsOf(error), kind, times: this.#times }, 'list or watch failed')
    return this.#inRow >= VERSION_DOUBTED_AFTER
  }

  /** Call this after a success: the next failure is logged again. */
  recovered(): void {
    this.#lastSuccessMs = this.#options.timers.now()
    this.#kind = ''
    this.#inRow = 0
  }
}
