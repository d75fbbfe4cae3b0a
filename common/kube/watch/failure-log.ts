import { type Log, shouldLogRepetition } from '../../program/log.ts'
import { factsOf } from '../client/errors.ts'

/** After so many failures in a row, the version from which a watch starts may be the cause. */
const VERSION_DOUBTED_AFTER = 5

/** Kinds of failures that last until a person acts. They are logged once. */
const LASTING = new Set(['forbidden', 'kindAbsent'])

/** Logs repeated failures of the same kind less and less often, until a success. */
export class FailureLog {
  readonly #log: Log
  #kind = ''
  #times = 0
  #inRow = 0

  constructor(log: Log) {
    this.#log = log
  }

  /**
   * Counts one more failure in a row, and logs it unless one of its kind was logged recently. Returns whether there were so
   * many that the version itself may be the cause.
   */
  failed(kind: string, error: unknown): boolean {
    this.#inRow += 1
    this.#times = kind === this.#kind ? this.#times + 1 : 1
    this.#kind = kind
    if (LASTING.has(kind) ? this.#times === 1 : shouldLogRepetition(this.#times))
      this.#log.warn({ ...factsOf(error), kind, times: this.#times }, 'list or watch failed')
    return this.#inRow >= VERSION_DOUBTED_AFTER
  }

  /** Call this after a success: the next failure is logged again. */
  recovered(): void {
    this.#kind = ''
    this.#inRow = 0
  }
}
