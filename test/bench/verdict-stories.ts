/** What `bench verdicts` and its short form in the tests simulate: requests of two arms, window by window. */

import { METRIC_ENGINES } from '../../common/analysis/metrics/registry.ts'
import type { WindowData } from '../../common/analysis/window-data.ts'
import type { MetricRule } from '../../common/api/analysis/metric.ts'
import { fnv1a } from '../../common/json/fnv1a.ts'
import { asCoarse, BOUNDARIES, normal } from '../common/analysis/metrics/windows.ts'
import { seeded } from '../seeded.ts'

/** The error bounds of all stories, and the rule of Latency in percent. */
export const [ALPHA, BETA, TOLERANCE, MAX_REGRESSION] = [0.025, 0.05, 10, 25]
/** The length of a window. */
export const INTERVAL_SECONDS = 30

/** What a window is made with. */
interface Moment {
  readonly window: number
  readonly random: () => number
  /** of the experiment: its pods stay as they are from window to window */
  readonly seed: number
}

/** A metric with its simulated windows. */
export interface SimulatedMetric {
  readonly kind: keyof typeof METRIC_ENGINES
  readonly rule: MetricRule
  readonly windowOf: (moment: Moment) => WindowData
}

/** One experiment, which can be simulated any number of times. */
export interface Story {
  readonly windows: number
  readonly metrics: readonly SimulatedMetric[]
}

/** How the requests of an experiment are. */
export interface Times {
  /** how many times as slow as the source's are the requests of the fork */
  readonly slowness?: number
  /** of the logarithm of the times */
  readonly spread?: number
  /** in each window, of both arms: the mean, as requests arrive at any time */
  readonly requests?: readonly [number, number]
  /** the part of the fork's requests that takes ten times as long */
  readonly tail?: number
  /** how much longer all requests take in a window, of both arms */
  readonly drift?: (window: number) => number
  /** default: one for ten requests of a window */
  readonly pods?: Pods
}

interface Pods {
  /** of both arms */
  readonly counts: readonly [number, number]
  /** of the logarithm of how slow each pod is, as long as the experiment lives */
  readonly spread: number
  /** whether the windows say which pod gave what */
  readonly areNamed: boolean
}

const LATENCY: MetricRule = { tolerancePercent: TOLERANCE, maxRegressionPercent: MAX_REGRESSION }
const ERRORS: MetricRule = { tolerancePercent: 20, maxRegressionPercent: 100, acceptablePercent: 1 }
/** A boundary of Prometheus' defaults. */
const MEDIAN_SECONDS = 0.05

function timesOf({ slowness = 1, spread = 0.5, requests = [20, 80], tail = 0, drift = () => 1, pods }: Times) {
  const {
    counts,
    spread: ofPods,
    areNamed,
  } = pods ?? { ...ALIKE, counts: [podsFor(requests[0]), podsFor(requests[1])] }
  return ({ window, random, seed }: Moment): WindowData => {
    const level = MEDIAN_SECONDS * drift(window)
    const arm = (word: string, index: 0 | 1, factor: () => number) => {
      const slow = Array.from({ length: counts[index] }, (_, pod) =>
        Math.exp(ofPods * normal(seeded(fnv1a(`${word}-${pod} of ${seed}`)))),
      )
      const times = Array.from(
        { length: arrivals(requests[index], random) },
        () => level * factor() * Math.exp(spread * normal(random)),
      )
      return slow.map((one, pod) => ({
        ...(areNamed ? { pod: `${word}-${pod}` } : {}),
        values: times.filter((_, request) => request % slow.length === pod).map((time) => one * time),
      }))
    }
    const treatment = arm('fork', 0, () => slowness * (tail > 0 && random() < tail ? 10 : 1))
    return { is: 'samples', treatment, control: arm('source', 1, () => 1) }
  }
}

/** How many requests arrive where `mean` are expected: Poisson, by the times between them. */
function arrivals(mean: number, random: () => number): number {
  let count = -1
  for (let time = 0; time < mean; count += 1) time -= Math.log(1 - random())
  return count
}

const ALIKE = { spread: 0, areNamed: true }
const podsFor = (requests: number): number => Math.ceil(requests / 10)

/** A Latency metric of single times. */
export const bySamples = (times: Times): SimulatedMetric => ({
  kind: 'Latency',
  rule: LATENCY,
  windowOf: timesOf(times),
})
/** A Latency metric of a histogram. */
export const byBuckets = (times: Times, boundaries = BOUNDARIES): SimulatedMetric => ({
  kind: 'Latency',
  rule: LATENCY,
  windowOf: (moment) => asCoarse(timesOf(times)(moment), boundaries),
})
/** Twelve boundaries around the median, each 1.5 times the one before. */
export const byNarrowBuckets = (times: Times): SimulatedMetric =>
  byBuckets(
    times,
    Array.from({ length: 12 }, (_, index) => MEDIAN_SECONDS * 1.5 ** (index - 5.5)),
  )
const GATED: MetricRule = { minSamples: 50, zScoreThreshold: 1.96, harmThreshold: 1.5 }
/** A metric with the rule of Gated Deployments. */
export const byGatedDeployments = (times: Times): SimulatedMetric => ({
  kind: 'MannWhitney',
  rule: GATED,
  windowOf: timesOf(times),
})

/** Errors among 20 requests of the fork and 80 of its source. */
export const byErrors = (
  own: number,
  others: number,
  requests: readonly [number, number] = [20, 80],
): SimulatedMetric => ({
  kind: 'ErrorRate',
  rule: ERRORS,
  windowOf: ({ random }) => {
    const arm = (mean: number, rate: number) => {
      const exposure = arrivals(mean, random)
      return [{ events: Array.from({ length: exposure }, random).filter((one) => one < rate).length, exposure }]
    }
    return { is: 'events', treatment: arm(requests[0], own), control: arm(requests[1], others) }
  },
})

/** Most requests of `Times` are faster than the lowest of these boundaries, as the usual ones are for fast services. */
const ABOVE_MOST = BOUNDARIES.map((seconds) => 15 * seconds)

const looks = (...metrics: readonly SimulatedMetric[]): Story => ({ windows: 400, metrics })
/** Twice as slow at noon as at midnight, of a day of 120 windows, with a jump in the middle. */
const drift = (window: number) => 1.5 + 0.5 * Math.sin((2 * Math.PI * window) / 120) + (window > 200 ? 1 : 0)

/** No harm, or as much as is tolerated: at most α of them may fail in 400 looks. */
export const HARMLESS: Readonly<Record<string, Story>> = {
  'samples, no change, σ 0.5': looks(bySamples({})),
  'samples at the tolerance, σ 0.5': looks(bySamples({ slowness: 1.1 })),
  'samples at the tolerance, σ 1': looks(bySamples({ slowness: 1.1, spread: 1 })),
  'coarse buckets, no change, σ 0.5': looks(byBuckets({})),
  'coarse buckets at the tolerance, σ 0.5': looks(byBuckets({ slowness: 1.1 })),
  'coarse buckets at the tolerance, σ 1': looks(byBuckets({ slowness: 1.1, spread: 1 })),
  'coarse buckets at the tolerance, most requests in the lowest': looks(byBuckets({ slowness: 1.1 }, ABOVE_MOST)),
  'errors at the tolerance': looks(byErrors(0.06, 0.05)),
  'samples with drift': looks(bySamples({ slowness: 1.1, drift })),
  'coarse buckets with drift': looks(byBuckets({ slowness: 1.1, spread: 1, drift })),
  'samples, thin traffic': looks(bySamples({ slowness: 1.1, requests: [2, 8] })),
  'errors, thin traffic': looks(byErrors(0.06, 0.05, [2, 8])),
  'three metrics together': looks(
    bySamples({ slowness: 1.1 }),
    byBuckets({ slowness: 1.1, spread: 1 }),
    byErrors(0.06, 0.05),
  ),
}

/** Exactly as bad as has to be ruled out: at most β of them may pass. */
export const AT_THE_LIMIT: Readonly<Record<string, Story>> = {
  'samples exactly at M': looks(bySamples({ slowness: 1.25 })),
  'coarse buckets exactly at M': looks(byBuckets({ slowness: 1.25 })),
  'errors exactly at M': looks(byErrors(0.1, 0.05)),
}

/** What came of one experiment, and in which window. */
export interface Ending {
  readonly verdict: 'Wait' | 'Pass' | 'Fail'
  readonly window: number
}

/** Simulates an experiment until a verdict in `ends`. */
export function played({ windows, metrics }: Story, seed: number, ends: 'Pass' | 'Fail' | 'either'): Ending {
  const random = seeded(seed)
  const bounded = metrics.filter(({ kind }) => METRIC_ENGINES[kind].isBounded).length
  const question = { alpha: ALPHA, beta: BETA, metrics: Math.max(1, bounded), minSamples: 50 }
  const states: (readonly number[])[] = metrics.map(() => [])
  for (let window = 1; window <= windows; window += 1) {
    const verdicts = metrics.map(({ kind, rule, windowOf }, index) => {
      const engine = METRIC_ENGINES[kind]
      states[index] = engine.fold(states[index] ?? [], windowOf({ window, random, seed }), rule) ?? states[index] ?? []
      return engine.judge(states[index] ?? [], rule, question).verdict
    })
    if (ends !== 'Pass' && verdicts.includes('Fail')) return { verdict: 'Fail', window }
    if (ends !== 'Fail' && verdicts.every((verdict) => verdict === 'Pass')) return { verdict: 'Pass', window }
  }
  return { verdict: 'Wait', window: windows }
}
