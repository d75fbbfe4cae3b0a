import type { Arm } from '../window-data.ts'
import { hasStart, type PrometheusSeries } from './series.ts'
import type { Failed, WindowAnswer } from './window-query.ts'

/** Both arms. */
export const ARMS: readonly Arm[] = ['treatment', 'control']

/** Something of each arm. */
export type PerArm<T> = Readonly<Record<Arm, T>>

/** Something for each arm, as `make` gives it. */
export const perArm = <T>(make: (arm: Arm) => T): PerArm<T> => ({
  treatment: make('treatment'),
  control: make('control'),
})

/** The answer about arms of which the provider knows nothing; undefined if it knows something of both. */
export function silentAnswer(known: PerArm<readonly unknown[]>): WindowAnswer | undefined {
  const arms = ARMS.filter((arm) => known[arm].length === 0)
  return arms.length > 0 ? { is: 'silent', arms } : undefined
}

/** The series of a window, and the pods that have data of the whole window. */
interface ArmData {
  readonly series: PerArm<readonly PrometheusSeries[]>
  readonly counted: PerArm<ReadonlyMap<string, unknown>>
  /** pods whose data of the start are of no use, because since then only a part of each has restarted */
  readonly partlyReset: ReadonlySet<string>
}

/**
 * The failure of a window in which only a few pods of an arm have data: the other pods could be different. Undefined if
 * at least half of the pods have data in both arms.
 */
export function tooFewPods(
  { series, counted, partlyReset }: ArmData,
  arms: PerArm<{ readonly pods: readonly string[] }>,
): Failed | undefined {
  const areFew = (arm: Arm, pods: { readonly size: number }) => 2 * pods.size < arms[arm].pods.length
  const arm = ARMS.find((each) => areFew(each, counted[each]))
  if (arm === undefined) return undefined
  const message = `fewer than half of the pods of the ${arm} have data of the whole window`
  const lacksStart = ARMS.some((each) => areFew(each, podsAtStart(series[each]).difference(partlyReset)))
  return { is: 'failed', message, ...(lacksStart ? { lacksStart } : {}) }
}

/**
 * The pods with usable series of the start: they still have one of these at the end, or have none at the end yet. If a
 * pod has only other series at the end, the labels of its series have changed, and the old ones do not come back.
 */
function podsAtStart(series: readonly PrometheusSeries[]): ReadonlySet<string> {
  const podsOf = (isOfUse: (one: PrometheusSeries) => boolean) => new Set(series.filter(isOfUse).map(({ pod }) => pod))
  const withBoth = podsOf((one) => hasStart(one) && hasEnd(one))
  return withBoth.union(podsOf(hasStart).difference(podsOf(hasEnd)))
}

const hasEnd = ({ values, histograms }: PrometheusSeries): boolean => (values.end ?? histograms.end) !== undefined
