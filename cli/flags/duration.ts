import { pauseSeconds } from '../../common/strategy/pause.ts'
import { misuse } from '../process/stop.ts'

/**
 * The whole seconds of the duration `value` of a flag or an argument: `90s`, `2h`, `1h30m`, `7d`. A number without a
 * unit is none: people who write `5` mean minutes as often as seconds.
 * @throws Stop that names `where` and the value
 */
export function secondsOf(where: string, value: string): number {
  const seconds = /^\d+$/.test(value) ? undefined : pauseSeconds(value)
  if (seconds === undefined || seconds === 0)
    throw misuse(
      `${where} ${value}`,
      'no duration',
      'Write a number with a unit of s, m, h or d, such as 90s or 1h30m.',
    )
  return seconds
}

/** As `secondsOf`, where `0` means without end. @throws Stop */
export const secondsOrZero = (where: string, value: string): number => (value === '0' ? 0 : secondsOf(where, value))
