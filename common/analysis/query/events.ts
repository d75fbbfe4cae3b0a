import type { EventCounts } from '../window-data.ts'
import { birthsAmong, byPod, type Counter, countersIn, growthOf, partlyResetPods } from './delta.ts'
import { type PerArm, perArm, silence, tooFewPods } from './per-arm.ts'
import { identityOf, type Series } from './series.ts'
import type { WindowAnswer, WindowQuery } from './window-query.ts'

/** The series of an arm that count events, and those that count all that could be one. */
export interface EventSeries {
  readonly events: readonly Series[]
  readonly total: readonly Series[]
}

/**
 * How many events each pod had in the window, and among how many. A pod without any series of events had none, because
 * a program often exposes such a series only once it counts something. A pod without a total is not counted, nor is one
 * of which only a part began anew.
 */
export function eventsAnswer(series: PerArm<EventSeries>, { arms }: Pick<WindowQuery, 'arms'>): WindowAnswer {
  const unknown = silence(perArm((arm) => series[arm].total))
  if (unknown) return unknown
  const treatment = podsIn(series.treatment)
  if (treatment.is === 'failed') return treatment
  const control = podsIn(series.control)
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
    data: { is: 'events', treatment: [...treatment.pods.values()], control: [...control.pods.values()] },
  }
}

function podsIn(series: EventSeries) {
  const isEvent = new Set(series.events.map(identityOf))
  const kinds = [series.events, series.total.filter((one) => !isEvent.has(identityOf(one)))]
  const isBorn = birthsAmong([...series.events, ...series.total], kinds)
  const events = countersIn(series.events, isBorn)
  if (events.is === 'failed') return events
  const total = countersIn(series.total, isBorn)
  if (total.is === 'failed') return total
  const partlyReset = partlyResetPods([...events.counters, ...total.counters].map((counter) => [counter]))
  const eventsOf = byPod(events.counters)
  const pods = [...byPod(total.counters)]
    .filter(([pod]) => !partlyReset.has(pod))
    .map(([pod, counters]): readonly [string, EventCounts] => [
      pod,
      { pod, events: sumOf(eventsOf.get(pod) ?? []), exposure: sumOf(counters) },
    ])
  return { is: 'pods', pods: new Map(pods), partlyReset } as const
}

const sumOf = (counters: readonly Counter[]): number =>
  counters.flatMap((counter) => growthOf([counter])).reduce((sum, [, growth]) => sum + growth, 0)
