import type { Writable } from 'node:stream'
import type { Clock, Random, Timers } from '../../common/program/clock.ts'
import type { Vars } from '../../common/program/env.ts'

/** A terminal on standard output. */
export interface Terminal extends Writable {
  readonly columns: number
  readonly rows: number
}

/** What a command has of its process. Only `main.ts` makes the real one. */
export interface Io {
  /** writes to standard output */
  readonly out: (text: string) => void
  /** writes to standard error */
  readonly err: (text: string) => void
  /** absent: standard output is something else than a terminal, or one that cannot be painted again */
  readonly terminal?: Terminal
  /** asks the person at the terminal; absent: there is nobody */
  readonly ask?: (question: string) => Promise<string>
  readonly vars: Vars
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  /** aborts at Ctrl-C */
  readonly signal: AbortSignal
}
