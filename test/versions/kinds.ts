/** A metric of each kind, asked of the plugin of the tests, and what it answers. */
import type { MetricKind } from '../../common/api/analysis/metric.ts'
import { at, type JsonObject } from '../../common/json/json.ts'

/** What the windows show: the fork is good, it is worse, or neither is shown for a long time. */
export type Showing = 'good' | 'worse' | 'neither'

/** What the plugin answers to what it is told of a window. */
type Answer = (told: JsonObject) => JsonObject

interface AskedKind {
  readonly metric: JsonObject & { readonly kind: MetricKind }
  /** how a window is judged where nothing shall be shown for a long time */
  readonly patient?: JsonObject
  /** the same where the analysis ends after a minute */
  readonly brief?: JsonObject
  readonly answers: Readonly<Record<Showing, Answer>>
  /** how much a window of ten seconds that shows neither counts of the fork */
  readonly perWindow: number
}

const always =
  (treatment: JsonObject, control: JsonObject): Answer =>
  () => ({ treatment, control })

const buckets = (slow: number, total = 5_000) => ({ boundaries: [0.1, 0.5], exceeding: [slow, slow / 10], total })
const errors = (events: number, total: number) => ({ events, total })
const seconds = (factor: number, count: number) => ({
  samples: Array.from({ length: count }, (_, index) => factor * (0.05 + ((7 * index) % count) / (10 * count))),
})
const RATES: AskedKind['answers'] = {
  good: always(errors(0, 2_000), errors(40, 2_000)),
  worse: always(errors(400, 1_000), errors(1, 1_000)),
  neither: always(errors(1, 10), errors(1, 10)),
}
/** Of windows of ten seconds, one after the other. */
const isOdd = (told: JsonObject) => (Date.parse(String(at(told, 'window', 'start'))) / 10_000) % 2 >= 1

/** Each kind, and Latency twice: of buckets and of samples. */
export const ASKED_KINDS: Readonly<Record<string, AskedKind>> = {
  buckets: {
    metric: { kind: 'Latency' },
    answers: {
      good: always(buckets(500), buckets(1_500)),
      worse: always(buckets(4_500), buckets(500)),
      neither: always(buckets(10, 20), buckets(10, 20)),
    },
    perWindow: 20,
  },
  samples: {
    metric: { kind: 'Latency' },
    answers: {
      good: always(seconds(0.8, 200), seconds(1, 200)),
      worse: always(seconds(5, 200), seconds(1, 200)),
      neither: always(seconds(1, 6), seconds(1, 6)),
    },
    perWindow: 6,
  },
  errors: { metric: { kind: 'ErrorRate' }, answers: RATES, perWindow: 10 },
  ratio: { metric: { kind: 'Ratio' }, answers: RATES, perWindow: 10 },
  value: {
    metric: { kind: 'Value' },
    answers: {
      good: always({ value: 1 }, { value: 2 }),
      worse: always({ value: 4 }, { value: 2 }),
      neither: (told) => ({ treatment: { value: isOdd(told) ? 4 : 1 }, control: { value: 2 } }),
    },
    perWindow: 1,
  },
  threshold: {
    metric: { kind: 'Threshold', max: 10 },
    patient: { successCount: 300 },
    brief: { successCount: 6 },
    answers: {
      good: always({ value: 1 }, {}),
      worse: always({ value: 20 }, {}),
      // never twice in a row outside, and inside too seldom
      neither: (told) => ({ treatment: { value: isOdd(told) ? 20 : 1 }, control: {} }),
    },
    perWindow: 1,
  },
  ranks: {
    metric: { kind: 'MannWhitney' },
    patient: { minSamples: 450 }, // the most
    answers: {
      good: always(seconds(0.5, 450), seconds(1, 450)),
      worse: always(seconds(5, 450), seconds(1, 450)),
      neither: always(seconds(1, 5), seconds(1, 5)), // a window with fewer is asked for again, longer
    },
    perWindow: 5,
  },
  decision: {
    metric: { kind: 'Decision' },
    answers: {
      good: () => ({ decision: 'Pass', message: 'good' }),
      worse: () => ({ decision: 'Fail', message: 'worse' }),
      neither: () => ({ decision: 'Wait' }),
    },
    perWindow: 1,
  },
}
