import { identityOf } from '../series-labels.ts'
import type { EventCounts } from '../window-data.ts'
import {
  byPod,
  type Counter,
  countersIn,
  growthOf,
  inStrata,
  partlyResetPods,
  seriesStarts,
  stratumOf,
} from './delta.ts'
import { type PerArm, perArm, silentAnswer, tooFewPods } from './per-arm.ts'
import { hasStart, type PrometheusSeries } from './series.ts'
import { type Failed, failed, type WindowAnswer, type WindowQuery } from './window-query.ts'

/** The series of an arm that count events, and those that count all that could be one. */
export interface CounterSeries {
  readonly events: readonly PrometheusSeries[]
  readonly total: readonly PrometheusSeries[]
}

const CONTRADICTORY = failed(
  'the answers contradict each other: the address of the provider must always lead to the same Prometheus',
)

/**
 * How many events each pod had in the window, and among how many. A pod without any series of events had none, because
 * a program often exposes such a series only once it counts something. A pod is not
 * counted if it has no total, if only a part of it restarted, or if its new series have more events than the total:
 * then the series are not new, but the server is, which has no values of their start. The last argument is what
 * `eventPods` gave for each arm.
 */
export function eventsAnswer(
  series: PerArm<CounterSeries>,
  { arms }: Pick<WindowQuery, 'arms'>,
  { treatment, control } = perArm((arm) => eventPods(series[arm])),
): WindowAnswer {
  const unknown = silentAnswer(perArm((arm) => series[arm].total))
  if (unknown) return unknown
  if (treatment.is === 'failed') return treatment
  if (control.is === 'failed') return control
  const found = {
    series: perArm((arm) => series[arm].total),
    counted: { treatment: treatment.pods, control: control.pods },
    partlyReset: treatment.partlyReset.union(control.partlyReset),
  }
  const failure = tooFewPods(found, arms)
  if (failure) return failure
  return {
    is: 'data',
    data: { is: 'events', treatment: [...treatment.pods.values()].flat(), control: [...control.pods.values()].flat() },
  }
}

/**
 * The pods of an arm with their events, or why there are none. `stratifyBy`: the label whose values tell strata apart.
 */
export function eventPods(series: CounterSeries, stratifyBy?: string) {
  if (!areOfOneServer(series)) return CONTRADICTORY
  const isEvent = new Set(series.events.map(identityOf))
  const kinds = [series.events, series.total.filter((one) => !isEvent.has(identityOf(one)))]
  const events = countersIn(series.events, seriesStarts([...series.events, ...series.total], kinds))
  if (events.is === 'failed') return events
  const total = countersIn(series.total, seriesStarts(series.total, kinds))
  if (total.is === 'failed') return total
  const partlyReset = partlyResetPods([...events.counters, ...total.counters].map((counter) => [counter]))
  if (stratifyBy !== undefined && !haveSameStrata(events.counters, series.total, stratifyBy)) return unlike(stratifyBy)
  const eventsOf = byPod(events.counters)
  const pods = [...byPod(total.counters)].flatMap(([pod, counters]): readonly PodEvents[] => {
    const [ofPod, exposure] = [eventsOf.get(pod) ?? [], sumOf(counters)]
    const isKnown = !partlyReset.has(pod) && sumOf(ofPod.filter(({ of }) => !hasStart(of))) <= exposure
    if (!isKnown) return []
    const stratified = (all: readonly Counter[]) => all.map((each) => ({ ...each, ...stratumOf(each.of, stratifyBy) }))
    const inStratum = Map.groupBy(stratified(ofPod), ({ stratum }) => stratum)
    const counts = inStrata(stratified(counters)).map(([of, each]) => ({
      ...{ pod, ...of },
      ...{ events: sumOf(inStratum.get(of.stratum) ?? []), exposure: sumOf(each) },
    }))
    return [[pod, counts]]
  })
  return { is: 'pods', pods: new Map(pods), partlyReset } as const
}

type PodEvents = readonly [pod: string, counts: readonly EventCounts[]]

/** Whether all events are of strata that the total has, too. If not, they would be lost. */
function haveSameStrata(events: readonly Counter[], total: readonly PrometheusSeries[], stratifyBy: string): boolean {
  const strata = new Set(total.map((one) => stratumOf(one, stratifyBy).stratum))
  return events.every((each) => strata.has(stratumOf(each.of, stratifyBy).stratum) || sumOf([each]) === 0)
}

const unlike = (stratifyBy: string): Failed =>
  failed(
    `events have a value of the label ${stratifyBy} that total does not have; name a label of both in stratifyBy, or remove it`,
  )

/** Whether both answers agree on which series had a start. They do not if a server has just lost its data. */
function areOfOneServer({ events, total }: CounterSeries): boolean {
  const starts = new Map(total.map((one) => [identityOf(one), hasStart(one)]))
  return events.every((one) => (starts.get(identityOf(one)) ?? hasStart(one)) === hasStart(one))
}

const sumOf = (counters: readonly Counter[]): number =>
  counters.flatMap((counter) => growthOf([counter])).reduce((sum, [, growth]) => sum + growth, 0)
