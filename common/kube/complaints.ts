import { isWorthALine, type Log } from '../log.ts'
import { factsOf } from './errors.ts'

/** These last until a person acts, and are told once. */
const LASTING = new Set(['forbidden', 'kindAbsent'])

/** Tells the log of a lasting trouble less and less often, until it is over. */
export class Complaints {
  readonly #log: Log
  #kind = ''
  #times = 0

  constructor(log: Log) {
    this.#log = log
  }

  about(kind: string, error: unknown): void {
    this.#times = kind === this.#kind ? this.#times + 1 : 1
    this.#kind = kind
    if (LASTING.has(kind) ? this.#times === 1 : isWorthALine(this.#times))
      this.#log.warn({ ...factsOf(error), kind, times: this.#times }, 'list or watch failed')
  }

  over(): void {
    this.#kind = ''
  }
}
