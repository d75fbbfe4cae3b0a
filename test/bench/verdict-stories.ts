/** What `bench verdicts` and its short form in the tests simulate: requests of two arms, window by window. */
import { seeded } from '../../common/analysis/engine/random.ts'
import { METRIC_ENGINES } from '../../common/analysis/metrics/registry.ts'
import type { Rule } from '../../common/analysis/metrics/rule.ts'
import type { WindowData } from '../../common/analysis/window-data.ts'
import { asCoarse, normal } from '../common/analysis/metrics/windows.ts'

/** As in section 4.7 of the specification of analyses. */
export const [ALPHA, BETA, TOLERANCE, MAX_REGRESSION] = [0.025, 0.05, 10, 25]
export const INTERVAL_SECONDS = 30

/** What a window is made with. */
interface Moment {
  readonly window: number
  readonly random: () => number
}

interface SimulatedMetric {
  readonly kind: keyof typeof METRIC_ENGINES
  readonly rule: Rule
  readonly windowOf: (moment: Moment) => WindowData
}

/** One experiment, as often as somebody wants. */
export interface Story {
  readonly windows: number
  readonly metrics: readonly SimulatedMetric[]
}

/** How the requests of an experiment are. */
interface Times {
  /** how many times as slow as the source's are the requests of the fork */
  readonly slowness?: number
  /** of the logarithm of the times */
  readonly spread?: number
  /** in each window, of both arms */
  readonly requests?: readonly [number, number]
  /** such a part of the fork's requests takes ten times as long */
  readonly tail?: number
  /** how much longer all requests take in a window, of both arms */
  readonly drift?: (window: number) => number
}

const LATENCY: Rule = { tolerancePercent: TOLERANCE, maxRegressionPercent: MAX_REGRESSION }
const ERRORS: Rule = { tolerancePercent: 20, maxRegressionPercent: 100, acceptablePercent: 1 }
/** A boundary of Prometheus' defaults. */
const MEDIAN_SECONDS = 0.05

function timesOf({ slowness = 1, spread = 0.5, requests: [a, b] = [20, 80], tail = 0, drift = () => 1 }: Times) {
  return ({ window, random }: Moment): WindowData => {
    const level = MEDIAN_SECONDS * drift(window)
    const time = (factor: number) => level * factor * Math.exp(spread * normal(random))
    const own = Array.from({ length: a }, () => time(slowness * (tail > 0 && random() < tail ? 10 : 1)))
    const others = Array.from({ length: b }, () => time(1))
    return { is: 'samples', treatment: ofPods('fork', own), control: ofPods('source', others) }
  }
}

/** The requests of pods that get ten in a window. */
const ofPods = (word: string, values: readonly number[]) =>
  Array.from({ length: Math.ceil(values.length / PER_POD) }, (_, pod) => ({
    pod: `${word}-${pod}`,
    values: values.slice(pod * PER_POD, (pod + 1) * PER_POD),
  }))
const PER_POD = 10

const bySamples = (times: Times): SimulatedMetric => ({ kind: 'Latency', rule: LATENCY, windowOf: timesOf(times) })
const byBuckets = (times: Times): SimulatedMetric => ({
  kind: 'Latency',
  rule: LATENCY,
  windowOf: (moment) => asCoarse(timesOf(times)(moment)),
})
const GATED: Rule = { minSamples: 50, zScoreThreshold: 1.96, harmThreshold: 1.5 }
const byGatedDeployments = (times: Times): SimulatedMetric => ({
  kind: 'MannWhitney',
  rule: GATED,
  windowOf: timesOf(times),
})

/** Errors among 20 requests of the fork and 80 of its source. */
const byErrors = (own: number, others: number, requests: readonly [number, number] = [20, 80]): SimulatedMetric => ({
  kind: 'ErrorRate',
  rule: ERRORS,
  windowOf: ({ random }) => {
    const arm = (exposure: number, rate: number) => [
      { events: Array.from({ length: exposure }, random).filter((one) => one < rate).length, exposure },
    ]
    return { is: 'events', treatment: arm(requests[0], own), control: arm(requests[1], others) }
  },
})

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

interface Row {
  readonly what: string
  readonly times: Times
  readonly samples: number
  readonly coarse: number
  readonly gated: number
}
const ROWS: readonly Row[] = [
  { what: '+25 %, σ 0.5', times: { slowness: 1.25 }, samples: 87, coarse: 56, gated: 72 },
  { what: '+25 %, σ 1', times: { slowness: 1.25, spread: 1 }, samples: 18, coarse: 11, gated: 18 },
  { what: '+50 %, σ 1', times: { slowness: 1.5, spread: 1 }, samples: 98, coarse: 85, gated: 62 },
  { what: '+100 %, σ 1', times: { slowness: 2, spread: 1 }, samples: 100, coarse: 100, gated: 99 },
  { what: '5 % of requests ×10, σ 0.5', times: { tail: 0.05 }, samples: 65, coarse: 98, gated: 4 },
]
/** 570 seconds. */
const WINDOWS_OF_TABLE = 19
/** A story of harm, with the part of which the specification says that it fails within 570 s, in percent. */
export interface HarmfulStory extends Story {
  readonly page: number
}

/** Harm of several sizes, found in three ways. */
export const HARMFUL: Readonly<Record<string, HarmfulStory>> = Object.fromEntries(
  ROWS.flatMap(({ what, times, samples: ofSamples, coarse, gated }) => {
    const story = (metric: SimulatedMetric, page: number) => ({ windows: WINDOWS_OF_TABLE, metrics: [metric], page })
    return [
      [`samples, ${what}`, story(bySamples(times), ofSamples)],
      [`coarse buckets, ${what}`, story(byBuckets(times), coarse)],
      [`Gated Deployments' rule, ${what}`, story(byGatedDeployments(times), gated)],
    ] as const
  }),
)

/** What came of one experiment, and in which window. */
export interface Ending {
  readonly verdict: 'Wait' | 'Pass' | 'Fail'
  readonly window: number
}

/** Simulates an experiment until a verdict in `ends`. */
export function played({ windows, metrics }: Story, seed: number, ends: 'Pass' | 'Fail' | 'either'): Ending {
  const random = seeded(seed)
  const bounded = metrics.filter(({ kind }) => METRIC_ENGINES[kind].isBounded).length
  const question = { alpha: ALPHA, beta: BETA, metrics: Math.max(1, bounded), minSamples: 50, subject: `${seed}` }
  const states: (readonly number[])[] = metrics.map(() => [])
  for (let window = 1; window <= windows; window += 1) {
    const verdicts = metrics.map(({ kind, rule, windowOf }, index) => {
      const engine = METRIC_ENGINES[kind]
      states[index] = engine.fold(states[index] ?? [], windowOf({ window, random }), rule) ?? states[index] ?? []
      return engine.judge(states[index] ?? [], rule, question).verdict
    })
    if (ends !== 'Pass' && verdicts.includes('Fail')) return { verdict: 'Fail', window }
    if (ends !== 'Fail' && verdicts.every((verdict) => verdict === 'Pass')) return { verdict: 'Pass', window }
  }
  return { verdict: 'Wait', window: windows }
}
