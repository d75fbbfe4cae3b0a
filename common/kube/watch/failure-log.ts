import { type Log, shouldLogRepetition } from '../../program/log.ts'
import { factsOf } from '../client/errors.ts'

/** Kinds of failures that last until a person acts. They are logged once. */
const LASTING = new Set(['forbidden', 'kindAbsent'])

/** Logs repeated failures of the same kind less and less often, until a success. */
export class FailureLog {
  readonly #log: Log
  #kind = ''
  #times = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** Counts one more failure of `kind` in a row, and logs it unless it was logged recently. */
  failed(kind: string, error: unknown): void {
    this.#times = kind === this.#kind ? this.#times + 1 : 1
    this.#kind = kind
    if (LASTING.has(kind) ? this.#times === 1 : shouldLogRepetition(this.#times))
      this.#log.warn({ ...factsOf(error), kind, times: this.#times }, 'list or watch failed')
  }

  /** Call this after a success: the next failure is logged again. */
  recovered(): void {
    this.#kind = ''
  }
}
