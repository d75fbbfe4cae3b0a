import type { Metric } from '../../api/analysis/metric.ts'
import { printable } from '../../text/printable.ts'
import { added, mixture, zeros } from '../engine/mixture.ts'
import type { Arm, OfPod, WindowData } from '../window-data.ts'
import { keyOfPod, type Places, withoutEach } from './places.ts'
import { splitLists } from './state-lists.ts'

/** The most strata of a metric, over all its windows. */
export const MOST_STRATA = 8
/** The most places of an arm in each stratum: with as many as elsewhere, eight strata would not fit into a state. */
export const MOST_PLACES_IN_STRATA = 4
/**
 * A Pass needs that each stratum is safe that has this part of what decides. So much of the requests of a version must
 * not be in strata that the other has not: nothing of them is compared.
 */
const LEAST_PART = 0.1

/** The part of a window that a metric compares by itself. */
interface Stratum<T> extends Readonly<Record<Arm, readonly T[]>> {
  readonly key: number
}

const byKey = <T extends OfPod>(counts: readonly T[]): ReadonlyMap<number, readonly T[]> =>
  Map.groupBy(counts, ({ stratum = '' }) => keyOfPod(stratum))

/** What a pod counted in a stratum, in requests. */
type RequestsOf<T> = (counts: T) => number

const haveRequests = <T>(counts: readonly T[] = [], requestsOf: RequestsOf<T>): boolean =>
  counts.some((each) => requestsOf(each) > 0)

/**
 * The strata of a window of which both arms have requests. One that only one arm has makes no bet. `requestsOf`: of
 * the counts of a pod.
 */
export function strataIn<T extends OfPod>(
  data: Readonly<Record<Arm, readonly T[]>>,
  requestsOf: RequestsOf<T>,
): readonly Stratum<T>[] {
  const [own, others] = [byKey(data.treatment), byKey(data.control)]
  return [...own].flatMap(([key, treatment]) => {
    const control = others.get(key) ?? []
    return haveRequests(treatment, requestsOf) && haveRequests(control, requestsOf) ? [{ key, treatment, control }] : []
  })
}

/** The counts of an arm in strata of which the other arm has no requests. */
export function aloneIn<T extends OfPod>(
  data: Readonly<Record<Arm, readonly T[]>>,
  arm: Arm,
  requestsOf: RequestsOf<T>,
): readonly T[] {
  const others = byKey(data[arm === 'treatment' ? 'control' : 'treatment'])
  return [...byKey(data[arm])].flatMap(([key, counts]) => (haveRequests(others.get(key), requestsOf) ? [] : counts))
}

/** What of an arm is not compared, because only this arm has requests of these strata. */
interface Alone {
  readonly arm: Arm
  /** how much of its requests */
  readonly part: number
  /** the one with the most requests */
  readonly largest: string
}

function aloneOf<T extends OfPod>(
  data: Readonly<Record<Arm, readonly T[]>>,
  arm: Arm,
  requestsOf: RequestsOf<T>,
): Alone {
  const sum = (counts: readonly T[]) => counts.reduce((requests, each) => requests + requestsOf(each), 0)
  const alone = aloneIn(data, arm, requestsOf)
  const strata = [...Map.groupBy(alone, ({ stratum = '' }) => stratum)]
  const [largest = ''] = strata.toSorted(([, one], [, other]) => sum(other) - sum(one))[0] ?? []
  return { arm, part: sum(alone) / Math.max(1, sum(data[arm])), largest }
}

/** The keys of all strata with requests in a window, and what of each arm is not compared. */
const foundStrata = <T extends OfPod>(data: Readonly<Record<Arm, readonly T[]>>, requestsOf: RequestsOf<T>) => ({
  keys: [...byKey([...data.treatment, ...data.control])].flatMap(([key, counts]) =>
    haveRequests(counts, requestsOf) ? [key] : [],
  ),
  alone: (['treatment', 'control'] as const).map((arm) => aloneOf(data, arm, requestsOf)),
})

/** The strata that a state remembers, by their keys. Its first number is the sort of its data. */
export const rememberedStrata = ([, ...lists]: readonly number[]): readonly number[] => splitLists(lists)[1] ?? []

/** The strata of a window, of a metric that has some. */
function foundIn({ prometheus }: Pick<Metric, 'prometheus'>, data: WindowData) {
  const { stratifyBy } = prometheus ?? {}
  if (stratifyBy === undefined) return undefined
  if (data.is === 'coarse') return { stratifyBy, ...foundStrata(data, ({ total }) => total) }
  return data.is === 'events' ? { stratifyBy, ...foundStrata(data, ({ exposure }) => exposure) } : undefined
}

/**
 * Why a window is of no use to a metric: it has too many strata, or a tenth of the requests of a version is in strata
 * that the other has not, as a new name of a route, or none, must not hide it. Undefined: it is of use, or the metric
 * has no strata. `state`: what the metric remembers of the windows before.
 */
export function strataProblem(
  metric: Pick<Metric, 'prometheus'>,
  state: readonly number[],
  data: WindowData,
): string | undefined {
  const found = foundIn(metric, data)
  if (!found) return undefined
  const { stratifyBy, keys } = found
  const { size } = new Set([...rememberedStrata(state), ...keys])
  if (size > MOST_STRATA)
    return `the label ${stratifyBy} has ${size} values, and at most ${MOST_STRATA} can be compared; choose fewer by prometheus.matchers, or name another label in stratifyBy`
  const alone = found.alone.find(({ part }) => part >= LEAST_PART)
  return alone && aloneText(alone, stratifyBy)
}

function aloneText({ arm, part, largest }: Alone, stratifyBy: string): string {
  const [own, other] = arm === 'treatment' ? ['fork', 'control'] : ['control', 'fork']
  const found = `${Math.floor(100 * part)}% of the requests of the ${own} have values of the label ${stratifyBy} that the ${other} has not, most of them "${printable(largest)}"`
  return `${found}; let both have the same values, leave out by prometheus.matchers what only one can have, or name another label in stratifyBy`
}

/** Evidence of all pods, and without each place. */
export interface ByPlace {
  readonly all: number
  readonly without: readonly number[]
}

/** The strata joined by `join`, without each place of an arm: the same pods in each stratum. */
const byPlace = (each: readonly ByPlace[], places: Places, join: (logs: readonly number[]) => number): ByPlace => ({
  all: join(each.map(({ all }) => all)),
  without: withoutEach(places, (place) => join(each.map(({ all, without }) => without[place] ?? all))),
})

/** The evidence of strata that do not depend on each other, as one bet after the other. */
export const addedUp = (each: readonly ByPlace[], places: Places): ByPlace =>
  byPlace(each, places, (logs) => logs.reduce((sum, log) => sum + log, 0))

/**
 * Harm of all strata together, or of one of them: one half of the capital is on `together`, and of the other half each
 * stratum has an eighth. Without the second half, a stratum without harm would hide the harm of another one.
 */
export const harmOfStrata = (together: ByPlace, each: readonly ByPlace[], places: Places): ByPlace =>
  byPlace([together, ...each], places, ([all = 0, ...logs]) => mixture([all, mixture(added(zeros(MOST_STRATA), logs))]))

/** A stratum, and how much of what decides about safety it has; 0: it says nothing about it. */
interface Weighed {
  readonly evidence: ByPlace
  readonly weight: number
}

/**
 * Safety of each stratum that has a tenth of what decides: the least is what all of them show. `others`: what must be
 * safe beside them.
 */
export function safetyOfStrata(strata: readonly Weighed[], places: Places, others: readonly ByPlace[] = []): ByPlace {
  const all = strata.reduce((sum, { weight }) => sum + weight, 0)
  const deciding = strata.filter(({ weight }) => weight > 0 && weight >= LEAST_PART * all)
  const each = deciding.map(({ evidence }) => evidence)
  return byPlace(each.length === 0 ? [] : [...each, ...others], places, (logs) =>
    logs.length === 0 ? 0 : Math.min(...logs),
  )
}
