import type { Amount } from '../api/amount.ts'
import { MAX_PAUSE_SECONDS, PAUSE_PATTERN } from '../api/strategy.ts'

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/**
 * The whole seconds of a pause: a number, a number as text, or a text such as `1h30m`. Undefined if it is none of these
 * or longer than a year.
 */
export function pauseSeconds(duration: Amount): number | undefined {
  const seconds = typeof duration === 'number' ? duration : secondsIn(duration)
  const isSound = Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= MAX_PAUSE_SECONDS
  return isSound ? seconds : undefined
}

function secondsIn(text: string): number {
  if (!new RegExp(PAUSE_PATTERN).test(text)) return Number.NaN
  if (/^\d+$/.test(text)) return Number(text)
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit ?? ''] ?? Number.NaN),
    0,
  )
}
