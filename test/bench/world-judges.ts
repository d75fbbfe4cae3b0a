/** How the product judges a world, by its own functions: window by window, as the controller folds them. */

import type { RunMetric } from '../../common/analysis/kinds/run.ts'
import { histogramAnswer } from '../../common/analysis/query/histogram.ts'
import { scrapedTwice } from '../../common/analysis/query/scrapes.ts'
import { seriesIn } from '../../common/analysis/query/series.ts'
import type { WindowAnswer, WindowQuery } from '../../common/analysis/query/window-query.ts'
import { expectedStart, type FoldContext, foldHealth, foldWindow } from '../../common/analysis/run/fold.ts'
import type { Arm, WindowData } from '../../common/analysis/window-data.ts'
import { HEALTH_METRIC, metricWithDefaults } from '../../common/api/analysis/defaults.ts'
import type { Metric } from '../../common/api/analysis/metric.ts'
import { windowQuery } from '../common/analysis/query/window-queries.ts'
import { aPod } from '../common/analysis/run/runs.ts'
import { seeded } from '../seeded.ts'
import { ALPHA, BETA, INTERVAL_SECONDS } from './verdict-stories.ts'
import { type ArmsOfRequests, LONGEST_PROBE, type PodRequests, type RestartWorld, type World } from './worlds.ts'

/** What the product says after a window, and the requests of the window, if it has any. */
export interface Judged {
  readonly verdict: RunMetric['verdict']
  readonly requests?: ArmsOfRequests
}
/** The judge of one experiment. Its windows have the numbers from 1 on, in their order. */
export type Judge = (window: number) => Judged

const STARTED_MS = 1_700_000_000_000
const endOf = (window: number) => STARTED_MS + 1_000 * INTERVAL_SECONDS * window

const contextAt = (atMs: number, arms: FoldContext['poll']['arms']): FoldContext => ({
  question: { alpha: ALPHA, beta: BETA, metrics: 1, minSamples: 50 },
  ...{ intervalSeconds: INTERVAL_SECONDS, warmUpSeconds: 60, startedMs: STARTED_MS },
  poll: { arms, atMs },
})

const newMetric = ({ name }: Metric): RunMetric => ({
  ...{ name, verdict: 'Wait', reason: 'Measuring', since: new Date(STARTED_MS).toISOString() },
})

/** The answer for a window of requests. `window`: its number. */
export type Answering = (arms: ArmsOfRequests, window: number, random: () => number) => WindowAnswer

/** A judge of requests, by what the provider answers about them. */
export function judgeOf(world: World, asked: Metric, answering: Answering): (seed: number) => Judge {
  const metric = metricWithDefaults(asked)
  return (seed) => {
    const random = seeded(seed)
    const windows = world(random, seed)
    let state = newMetric(metric)
    let waiting: ArmsOfRequests[] = []
    return (window) => {
      const requests = windows(window)
      const startMs = expectedStart(state, { startedMs: STARTED_MS })
      waiting = startMs < endOf(window - 1) ? [...waiting, requests] : [requests]
      const together = joined(waiting)
      const views = (pods: readonly PodRequests[]) =>
        pods.map(({ pod }) => aPod(pod, { createdMs: 0, readySinceMs: 0 }))
      const arms = { treatment: views(together.treatment), control: views(together.control) }
      const polled = {
        metric: metric.name,
        window: { start: startMs, end: endOf(window) },
        skipped: 0,
        answer: answering(together, window, random),
      }
      state = foldWindow(state, metric, polled, contextAt(endOf(window), arms)).metric
      return { verdict: state.verdict, requests }
    }
  }
}

/** Windows with few requests as the one window in which the controller asks for them. */
function joined(windows: readonly ArmsOfRequests[]): ArmsOfRequests {
  const [only, ...others] = windows
  if (only && others.length === 0) return only
  const arm = (name: Arm) =>
    [
      ...Map.groupBy(
        windows.flatMap((window) => window[name]),
        ({ pod }) => pod,
      ),
    ].map(([pod, parts]) => ({
      pod,
      times: parts.flatMap(({ times }) => times),
      requests: parts.reduce((sum, { requests }) => sum + requests, 0),
      errors: parts.reduce((sum, { errors }) => sum + errors, 0),
    }))
  return { treatment: arm('treatment'), control: arm('control') }
}

/** A judge of restarts. */
export const judgeOfRestarts =
  (world: RestartWorld) =>
  (seed: number): Judge => {
    const seen = world(seeded(seed))
    let state = newMetric(HEALTH_METRIC)
    return (window) => {
      const at = (pods: ReturnType<typeof seen>['control']) =>
        pods.map(({ createdMs, readySinceMs, ...pod }) => ({
          ...pod,
          createdMs: STARTED_MS + createdMs,
          ...(readySinceMs === undefined ? {} : { readySinceMs: STARTED_MS + readySinceMs }),
        }))
      const { treatment, control } = seen(INTERVAL_SECONDS * window)
      const arms = { treatment: at(treatment), control: at(control) }
      state = foldHealth(state, HEALTH_METRIC, contextAt(endOf(window), arms)).metric
      return { verdict: state.verdict }
    }
  }

const data = (window: WindowData): WindowAnswer => ({ is: 'data', data: window })
const perArm = <T>(arms: ArmsOfRequests, of: (pod: PodRequests) => T) => ({
  treatment: arms.treatment.map(of),
  control: arms.control.map(of),
})

/** The default boundaries of Prometheus' libraries, in seconds. */
export const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

function exceeding(times: readonly number[], boundaries: readonly number[]): readonly number[] {
  const counts = boundaries.map(() => 0)
  for (const time of times) {
    const above = boundaries.findLastIndex((boundary) => time > boundary)
    if (above >= 0) counts[above] = (counts[above] ?? 0) + 1
  }
  for (let index = counts.length - 2; index >= 0; index -= 1)
    counts[index] = (counts[index] ?? 0) + (counts[index + 1] ?? 0)
  return counts
}

/** Times as the buckets of a histogram. */
export const inBuckets: Answering = (arms) =>
  data({
    is: 'coarse',
    boundaries: BOUNDARIES,
    ...perArm(arms, ({ pod, times, requests }) => ({ pod, total: requests, exceeding: exceeding(times, BOUNDARIES) })),
  })

/** Times as the buckets of histograms of two routes: that of probes, and that of all other requests. */
export const inBucketsByRoute: Answering = (arms) => {
  const routes = (pods: readonly PodRequests[]) =>
    pods.flatMap(({ pod, times }) =>
      [...Map.groupBy(times, (time) => (time <= LONGEST_PROBE ? '/ready' : '/cart'))].map(([stratum, some]) => ({
        ...{ pod, stratum },
        ...{ total: some.length, exceeding: exceeding(some, BOUNDARIES) },
      })),
    )
  return data({
    ...{ is: 'coarse', boundaries: BOUNDARIES },
    ...{ treatment: routes(arms.treatment), control: routes(arms.control) },
  })
}

/** Times one by one. */
export const oneByOne: Answering = (arms) =>
  data({ is: 'samples', ...perArm(arms, ({ pod, times }) => ({ pod, values: times })) })

/** Errors among requests. */
export const asEvents: Answering = (arms) =>
  data({ is: 'events', ...perArm(arms, ({ pod, errors, requests }) => ({ pod, events: errors, exposure: requests })) })

/** Fewer boundaries, so that the text of an answer is short. */
const FEW = [0.025, 0.05, 0.1, 0.25, 0.5]

/**
 * Times as a Prometheus answers that has the series of two others, which differ in the label `by`. They scraped at
 * different moments, so the second one lacks the last requests.
 */
export function twiceScraped(by: string): () => Answering {
  return () => {
    const before = new Map<string, number>()
    return (arms, window, random) => {
      const query: WindowQuery = windowQuery(
        'Latency',
        { histogram: 'h' },
        { window: { start: endOf(window - 1), end: endOf(window) } },
      )
      const seriesOf = (pods: readonly PodRequests[]) => pods.flatMap((pod) => histogramsOf(pod, before, random))
      const asked = (arm: Arm) => {
        const result = seriesOf(arms[arm]).map(({ labels, replica, start, end }) => ({
          metric: { __name__: 'h_bucket', namespace: 'shop', ...labels, [by]: replica },
          values: [
            [query.window.start / 1_000, `${start}`],
            [query.window.end / 1_000, `${end}`],
          ],
        }))
        const labels = { podLabel: 'pod', namespaceLabel: 'namespace' }
        const pods = arms[arm].map(({ pod }) => pod)
        const json = { status: 'success', data: { resultType: 'matrix', result } }
        const taken = seriesIn({ is: 'json', json }, { ...query, pods, labels })
        return taken.is === 'failed' ? taken : (scrapedTwice(taken.series) ?? taken)
      }
      const [treatment, control] = [asked('treatment'), asked('control')]
      if (treatment.is === 'failed') return treatment
      if (control.is === 'failed') return control
      return histogramAnswer({ treatment: treatment.series, control: control.series }, query)
    }
  }
}

/** The buckets of a pod as two scrapers have them at both edges. `before`: what each had counted. */
function histogramsOf({ pod, times }: PodRequests, before: Map<string, number>, random: () => number) {
  const over = exceeding(times, FEW)
  const grown = [...over.map((count) => times.length - count), times.length]
  const late = random() / 4 // the part of the window since the last scrape of the second one
  return grown.flatMap((growth, index) => {
    const le = `${FEW[index] ?? '+Inf'}`
    return ['a', 'b'].map((replica) => {
      const key = `${pod} ${le}`
      const start = before.get(`${key} ${replica}`) ?? 0
      const all = (before.get(key) ?? 0) + growth
      const end = replica === 'a' ? all : Math.max(start, all - Math.round(late * growth))
      before.set(`${key} ${replica}`, end)
      if (replica === 'b') before.set(key, all)
      return { labels: { pod, le, instance: `${pod}:80`, job: 'shop' }, replica, start, end }
    })
  })
}
