import { pino } from 'pino'

/** What a line is about: `{ key, reason }`. Never values of an override or a token, they may be secret. */
export type Facts = Readonly<Record<string, unknown>>

/** Logs are for operators: a constant text to search for, and facts as keys. */
export interface Log {
  debug(facts: Facts, text: string): void
  info(facts: Facts, text: string): void
  warn(facts: Facts, text: string): void
  error(facts: Facts, text: string): void
  /** The same log, with `facts` on every line. */
  with(facts: Facts): Log
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface LogOptions {
  /** receives one line of JSON per call, with its line feed */
  readonly destination: { write(line: string): void }
  readonly level?: LogLevel
  readonly facts?: Facts
}

/** A log that writes one JSON object per line, with `level` as a word and `time` as RFC 3339. */
export function jsonLog({ destination, level = 'info', facts = {} }: LogOptions): Log {
  const options = {
    level,
    base: facts,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return wrap(pino(options, destination))
}

type Pino = Pick<ReturnType<typeof pino>, LogLevel | 'child'>

const wrap = (lines: Pino): Log => ({
  debug: (facts, text) => lines.debug(facts, text),
  info: (facts, text) => lines.info(facts, text),
  warn: (facts, text) => lines.warn(facts, text),
  error: (facts, text) => lines.error(facts, text),
  with: (facts) => wrap(lines.child(facts)),
})

/** Whether the `times`-th repetition of a trouble gets a line: the 1st, 2nd, 4th, 8th … does. */
export const isWorthALine = (times: number): boolean => Number.isInteger(Math.log2(times))
