/** Windows for tests: requests of pods whose times are log-normal, from a generator with a seed. */

import type { DecisionBounds } from '../../../../common/analysis/metrics/metric-engine.ts'
import type {
  CoarseCounts,
  EventCounts,
  FineCounts,
  Samples,
  WindowData,
} from '../../../../common/analysis/window-data.ts'

/** A standard normal variable (Box–Muller). */
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

export const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const RATIO = 2 ** (1 / 8)

export interface Pods {
  readonly count: number
  /** requests of each */
  readonly requests: number
  /** how many times as slow, by pod */
  readonly slowness: (pod: number) => number
}

const times = ({ requests, slowness }: Pods, pod: number, random: () => number): readonly number[] =>
  Array.from({ length: requests }, () => 0.1 * slowness(pod) * Math.exp(0.5 * normal(random)))

/** A window of samples. */
export function sampleWindow(treatment: Pods, control: Pods, random: () => number): WindowData {
  const arm = (pods: Pods, word: string): readonly Samples[] =>
    Array.from({ length: pods.count }, (_, pod) => ({ pod: `${word}-${pod}`, values: times(pods, pod, random) }))
  return { is: 'samples', treatment: arm(treatment, 'fork'), control: arm(control, 'source') }
}

/** The same window as histograms. */
export function asCoarse(data: WindowData, boundaries: readonly number[] = BOUNDARIES): WindowData {
  if (data.is !== 'samples') throw new Error('it has no samples')
  const arm = (samples: readonly Samples[]): readonly CoarseCounts[] =>
    samples.map(({ values, ...of }) => ({
      ...of,
      exceeding: boundaries.map((bound) => values.filter((value) => value > bound).length),
      total: values.length,
    }))
  return { is: 'coarse', boundaries, treatment: arm(data.treatment), control: arm(data.control) }
}

export function asFine(data: WindowData, ratio = RATIO): WindowData {
  if (data.is !== 'samples') throw new Error('it has no samples')
  const arm = (samples: readonly Samples[]): readonly FineCounts[] =>
    samples.map(({ values, ...of }) => {
      const bins = Map.groupBy(values, (value) => Math.ceil(Math.log(value) / Math.log(ratio)))
      return { ...of, zero: 0, buckets: [...bins].map(([bin, { length }]) => [bin, length] as const) }
    })
  return { is: 'fine', ratio, treatment: arm(data.treatment), control: arm(data.control) }
}

/** A window of events among requests. */
export function eventWindow(
  [treatment, control]: readonly [Omit<Pods, 'slowness'>, Omit<Pods, 'slowness'>],
  rateOf: (arm: 'fork' | 'source', pod: number) => number,
  random: () => number,
): WindowData {
  const arm = ({ count, requests }: Omit<Pods, 'slowness'>, word: 'fork' | 'source'): readonly EventCounts[] =>
    Array.from({ length: count }, (_, pod) => ({
      pod: `${word}-${pod}`,
      events: Array.from({ length: requests }, random).filter((one) => one < rateOf(word, pod)).length,
      exposure: requests,
    }))
  return { is: 'events', treatment: arm(treatment, 'fork'), control: arm(control, 'source') }
}

export const question = (of: Partial<DecisionBounds> = {}): DecisionBounds => ({
  alpha: 0.025,
  beta: 0.05,
  metrics: 1,
  minSamples: 50,
  ...of,
})
