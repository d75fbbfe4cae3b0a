import type { Arm } from '../window-data.ts'
import type { Failed, WindowAnswer } from './window-query.ts'

export const ARMS: readonly Arm[] = ['treatment', 'control']

/** Something of each arm. */
export type PerArm<T> = Readonly<Record<Arm, T>>

export const perArm = <T>(make: (arm: Arm) => T): PerArm<T> => ({
  treatment: make('treatment'),
  control: make('control'),
})

/** The answer about arms of which the provider knows nothing; undefined if it knows something of both. */
export function silence(known: PerArm<readonly unknown[]>): WindowAnswer | undefined {
  const arms = ARMS.filter((arm) => known[arm].length === 0)
  return arms.length > 0 ? { is: 'silent', arms } : undefined
}

/**
 * Why a window is of no use in which only `counted` pods of an arm have data: the others could be different. Undefined
 * if at least half of the pods have data in both arms.
 */
export function tooFewPods(
  counted: PerArm<ReadonlyMap<string, unknown>>,
  arms: PerArm<{ readonly pods: readonly string[] }>,
): Failed | undefined {
  const arm = ARMS.find((each) => 2 * counted[each].size < arms[each].pods.length)
  return arm && { is: 'failed', message: `fewer than half of the pods of the ${arm} have data of the whole window` }
}
