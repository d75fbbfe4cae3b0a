import { misuse } from '../process/stop.ts'
import { wholeOf } from './numbers.ts'

/** What `status` waits for. */
export type Goal =
  | { readonly is: 'ready' | 'paused' | 'passed' | 'promoted' | 'ended' }
  /** so many steps are done */
  | { readonly is: 'step'; readonly steps: number }

const WORDS = ['ready', 'paused', 'passed', 'promoted', 'ended'] as const

/** The values of `--for`, as help and completion show them. */
export const GOALS: readonly string[] = [...WORDS, 'step=N']

/** The goal in `value` of the flag `--for`. @throws Stop that lists the goals */
export function goalOf(value: string): Goal {
  const is = WORDS.find((word) => word === value)
  if (is !== undefined) return { is }
  const [, steps] = /^step=(.*)$/.exec(value) ?? []
  if (steps !== undefined) return { is: 'step', steps: wholeOf('--for step', steps, 1) }
  throw misuse(`--for ${value}`, 'no goal', `Choose one of ${GOALS.join(', ')}.`)
}
