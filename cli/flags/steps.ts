import type { CanaryStep } from '../../common/api/strategy.ts'
import { pauseSeconds } from '../../common/strategy/pause.ts'
import { misuse } from '../process/stop.ts'

/**
 * The steps of a canary in `10%,1h,50%,pause`: weights, pauses that end by themselves, and pauses that a person ends.
 * @throws Stop that says which entry is none
 */
export const stepsOf = (value: string): readonly CanaryStep[] =>
  value.split(',').map((entry, index) => stepOf(entry.trim(), { value, place: index + 1 }))

interface Place {
  readonly value: string
  /** of the entry, from 1 */
  readonly place: number
}

function stepOf(entry: string, { value, place }: Place): CanaryStep {
  const wrong = (message: string) =>
    misuse(
      `--steps ${value}`,
      `entry ${place}, "${entry}": ${message}`,
      'Write weights, durations and the word pause: --steps 10%,1h,50%,pause',
    )
  if (entry === 'pause') return { pause: {} }
  if (/^\d+%$/.test(entry)) {
    const setWeight = Number.parseInt(entry, 10)
    if (setWeight > 100) throw wrong('a weight is from 0% to 100%')
    return { setWeight }
  }
  if (/^\d+$/.test(entry)) throw wrong(`a weight ends with %, a duration with s, m, h or d`)
  const seconds = pauseSeconds(entry)
  if (seconds === undefined) throw wrong('neither a weight, nor a duration, nor pause')
  if (seconds === 0) throw wrong('a pause is longer than that')
  return { pause: { duration: entry } }
}
