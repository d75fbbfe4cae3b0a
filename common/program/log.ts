import { type Logger, pino } from 'pino'
import { escapeInvisible } from '../json/escape.ts'

/** Facts about a log line: `{ key, reason }`. Never values of an override or a token, which may be secret. */
export type LogFields = Readonly<Record<string, unknown>>

/** The levels of a log, the least severe first. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

/** A log for operators. Each line has a constant text, which can be searched for, and facts by key. */
export interface Log extends Readonly<Record<LogLevel, (facts: LogFields, text: string) => void>> {
  /** A log that adds `facts` to every line. */
  with(facts: LogFields): Log
}

interface LogOptions {
  /** receives one line of JSON per call, with its line feed */
  readonly destination: { write(line: string): void }
  readonly level?: LogLevel
  readonly facts?: LogFields
}

/**
 * A log of one JSON object per line, with `level` as a word and `time` in RFC 3339. JSON may contain format characters
 * as they are, and they would change what a terminal shows, so they are escaped.
 */
export function jsonLog({ destination, level = 'info', facts = {} }: LogOptions): Log {
  const options = {
    level,
    base: facts,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const write = (line: string) => destination.write(`${escapeInvisible(line.trimEnd())}\n`)
  return wrap(pino(options, { write }))
}

const wrap = (lines: Logger): Log => Object.assign(lines, { with: (facts: LogFields) => wrap(lines.child(facts)) })

/** Whether to log the `times`-th occurrence of the same failure: the 1st, 2nd, 4th, 8th, and so on. */
export const shouldLogRepetition = (times: number): boolean => Number.isInteger(Math.log2(times))
