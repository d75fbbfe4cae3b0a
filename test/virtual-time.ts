import type { Timers } from '../common/program/clock.ts'
import type { Log, LogFields } from '../common/program/log.ts'

interface Alarm {
  readonly dueMs: number
  readonly run: () => void
}

/** Timers whose time passes only when a test advances it. */
export class VirtualTime implements Timers {
  #nowMs = 0
  readonly #alarms = new Set<Alarm>()

  now(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): () => void {
    const alarm = { dueMs: this.#nowMs + delayMs, run }
    this.#alarms.add(alarm)
    return () => this.#alarms.delete(alarm)
  }

  /** Timers that are set: 0 once everything is stopped. */
  get pending(): number {
    return this.#alarms.size
  }

  /** Lets `forMs` pass, timer by timer. After each timer, awaiting code runs. */
  async pass(forMs: number): Promise<void> {
    const untilMs = this.#nowMs + forMs
    await turn()
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) {
      this.#nowMs = next.dueMs
      this.#alarms.delete(next)
      next.run()
      await turn()
    }
    this.#nowMs = untilMs
  }

  #next(untilMs: number): Alarm | undefined {
    let next: Alarm | undefined
    for (const alarm of this.#alarms) if (alarm.dueMs <= untilMs && (!next || alarm.dueMs < next.dueMs)) next = alarm
    return next
  }
}

/** Waits until all code that needs no time has run: all microtasks end before an immediate runs. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** For passes that never take long. */
export const SHORT_TURNS = { isLong: false, nextTurn: turn }

/** A log that keeps its lines, such as `warn list or watch failed`. */
export function diaryLog(): Log & { readonly lines: readonly { readonly text: string; readonly facts: LogFields }[] } {
  const lines: { text: string; facts: LogFields }[] = []
  const at = (level: string) => (facts: LogFields, text: string) => {
    lines.push({ text: `${level} ${text}`, facts })
  }
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), with: () => log }
  return { ...log, lines }
}
