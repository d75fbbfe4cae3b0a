/** What the statistics can find: simulated experiments with the expected share and median times of their verdicts. */
import type { SimulatedMetric, Story, Times } from './verdict-stories.ts'
import { byBuckets, byErrors, byGatedDeployments, byNarrowBuckets, bySamples } from './verdict-stories.ts'

/** A story, with its expected figures. Times are medians, in seconds. */
export interface TableRow {
  readonly story: Story
  /** the expected percentage of experiments that fail within this number of windows */
  readonly fails?: { readonly within: number; readonly page: number; readonly goal: 'near' | 'atLeast' | 'told' }
  readonly failSeconds?: number
  readonly passSeconds?: number
}

/** 570 seconds, and half an hour. */
const [TABLE_WINDOWS, HALF_HOUR] = [19, 60]
/** An hour: time for medians. */
const HOUR = 120

interface Harm {
  readonly what: string
  readonly times: Times
  /** percent within 570 s, and seconds */
  readonly samples: readonly [number, number]
  readonly coarse: readonly [number, number]
  readonly gated: number
}
const HARMS: readonly Harm[] = [
  { what: '+25 %, σ 0.5', times: { slowness: 1.25 }, samples: [34, 720], coarse: [8, 1_050], gated: 72 },
  {
    what: '+25 %, σ 1',
    times: { slowness: 1.25, spread: 1 },
    samples: [0, 2_760],
    coarse: [0, Number.POSITIVE_INFINITY],
    gated: 18,
  },
  { what: '+50 %, σ 1', times: { slowness: 1.5, spread: 1 }, samples: [65, 510], coarse: [30, 810], gated: 62 },
  { what: '+100 %, σ 1', times: { slowness: 2, spread: 1 }, samples: [100, 150], coarse: [100, 270], gated: 99 },
  { what: '5 % of requests ×10, σ 0.5', times: { tail: 0.05 }, samples: [24, 810], coarse: [54, 570], gated: 4 },
]

const story = (metric: SimulatedMetric, windows = HOUR): Story => ({ windows, metrics: [metric] })

/** More harm may be found than is expected, but not less. For Prometheus' boundaries the figures are no bound. */
const harmRows = ({ what, times, samples, coarse, gated }: Harm): Readonly<Record<string, TableRow>> => ({
  [`samples, ${what}`]: {
    story: story(bySamples(times)),
    fails: { within: TABLE_WINDOWS, page: samples[0], goal: 'atLeast' },
    failSeconds: samples[1],
  },
  [`coarse buckets, ${what}`]: {
    story: story(byNarrowBuckets(times)),
    fails: { within: TABLE_WINDOWS, page: coarse[0], goal: 'atLeast' },
    failSeconds: coarse[1],
  },
  [`Prometheus' boundaries, ${what}`]: {
    story: story(byBuckets(times)),
    fails: { within: TABLE_WINDOWS, page: coarse[0], goal: 'told' },
    failSeconds: coarse[1],
  },
  [`Gated Deployments' rule, ${what}`]: {
    story: story(byGatedDeployments(times)),
    fails: { within: TABLE_WINDOWS, page: gated, goal: 'near' },
  },
})

const MUCH: Times = { requests: [240, 960] }
const WELL: Readonly<Record<string, TableRow>> = {
  'samples, an equal fork, σ 0.5': { story: story(bySamples({})), passSeconds: 960 },
  'samples, an equal fork, σ 1': { story: story(bySamples({ spread: 1 })), passSeconds: 870 },
  'coarse buckets, an equal fork, σ 0.5': { story: story(byNarrowBuckets({})), passSeconds: 840 },
  'coarse buckets, an equal fork, σ 1': { story: story(byNarrowBuckets({ spread: 1 })), passSeconds: 1_140 },
  "Prometheus' boundaries, an equal fork, σ 0.5": { story: story(byBuckets({})), passSeconds: 660 },
  "Prometheus' boundaries, an equal fork, σ 1": { story: story(byBuckets({ spread: 1 })), passSeconds: 1_140 },
  'samples, 12 times the traffic, an equal fork': { story: story(bySamples(MUCH)), passSeconds: 120 },
  'coarse buckets, 12 times the traffic, an equal fork': { story: story(byNarrowBuckets(MUCH)), passSeconds: 120 },
}

const ERRORS: Readonly<Record<string, TableRow>> = {
  'errors 1 → 5 %': { story: story(byErrors(0.05, 0.01)), failSeconds: 420 },
  'errors 0.1 → 5 %': { story: story(byErrors(0.05, 0.001)), failSeconds: 240 },
}

/** Pods that are slower or faster for good, without any difference between the versions: a Fail is a wrong one. */
function podRow(counts: readonly [number, number], spread: number, areNamed: boolean, page: number): TableRow {
  const perPod = 100 / (counts[0] + counts[1])
  const times: Times = { requests: [perPod * counts[0], perPod * counts[1]], pods: { counts, spread, areNamed } }
  return { story: story(bySamples(times), HALF_HOUR), fails: { within: HALF_HOUR, page, goal: 'told' } }
}
const PODS: Readonly<Record<string, TableRow>> = {
  '2 pods of 10 that differ by 20 %, unguarded': podRow([2, 8], 0.2, false, 22),
  '2 pods of 10 that differ by 20 %': podRow([2, 8], 0.2, true, 4),
  '1 pod of 13 that differ by 20 %, unguarded': podRow([1, 12], 0.2, false, 17.5),
  '1 pod of 13 that differ by 20 %': podRow([1, 12], 0.2, true, 20),
  '2 pods of 10 that differ by 10 %': podRow([2, 8], 0.1, true, 1),
}

/** Each row of the table, by its title. */
export const TABLE: Readonly<Record<string, TableRow>> = {
  ...Object.assign({}, ...HARMS.map(harmRows)),
  ...WELL,
  ...ERRORS,
  ...PODS,
}
