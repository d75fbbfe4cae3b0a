/** What the stories of `bench verdicts` are made of. */
import type { Metric } from '../../common/api/analysis/metric.ts'
import {
  type Answering,
  asEvents,
  inBuckets,
  inBucketsByRoute,
  type Judge,
  judgeOf,
  judgeOfRestarts,
} from './world-judges.ts'
import {
  type Failing,
  failing,
  normal,
  type PodCounts,
  type Timed,
  timed,
  type World,
  type WorldPod,
} from './worlds.ts'

/** A story: what the requests are, how they are judged, and the part of it that may end wrongly. */
export interface WorldStory {
  readonly windows: number
  /** `fails`, `passes`: what should happen; the others: what must not, and in which part of all experiments it may */
  readonly is: 'harmless' | 'at the limit' | 'fails' | 'passes'
  readonly atMost?: number
  /** the most windows to the right verdict, as a median */
  readonly within?: number
  /** what the rules of others look at; absent: nothing that they could judge */
  readonly of?: 'times' | 'errors'
  readonly begin: (seed: number) => Judge
}

export const [LOOKS, HOUR] = [400, 120]
export const [ALPHA, BETA] = [0.025, 0.05]
export const LATENCY: Metric = {
  name: 'latency',
  kind: 'Latency',
  provider: 'prometheus',
  prometheus: { histogram: 'h' },
}
export const STRATIFIED: Metric = { ...LATENCY, prometheus: { histogram: 'h', stratifyBy: 'route' } }
export const ERRORS: Metric = {
  ...{ name: 'errors', kind: 'ErrorRate', provider: 'prometheus' },
  prometheus: { events: 'e', total: 't' },
}

export const HARMLESS = { windows: LOOKS, is: 'harmless', atMost: ALPHA } as const
export const AT_THE_LIMIT = { windows: LOOKS, is: 'at the limit', atMost: BETA } as const
export const FAILS = { windows: HOUR, is: 'fails' } as const
export const PASSES = { windows: LOOKS, is: 'passes' } as const

export const logNormal =
  (spread: number, median = 0.05) =>
  (random: () => number) =>
    median * Math.exp(spread * normal(random))
export const pareto = (random: () => number) => 0.03 * (1 - random()) ** (-1 / 1.5)
export const bimodal = (random: () => number) => (random() < 0.8 ? 0.02 : 0.3) * Math.exp(0.3 * normal(random))
export const isFork = ({ arm }: WorldPod) => arm === 'treatment'
export const forkBy = (factor: number) => (pod: WorldPod) => (isFork(pod) ? factor : 1)
/** One pod of an arm is slower, and always the same. */
export const onePod =
  (arm: WorldPod['arm'], factor: number, others: (pod: WorldPod) => number = () => 1) =>
  (pod: WorldPod) =>
    others(pod) * (pod.arm === arm && pod.index === 0 ? factor : 1)
/** Any one of all pods is slower. */
export const anywhere =
  ([own, others]: PodCounts, factor: number) =>
  (pod: WorldPod) => {
    const chosen = Math.floor(pod.fixed('slow pod') * (own + others))
    return (isFork(pod) ? pod.index : own + pod.index) === chosen ? factor : 1
  }
/** A load that comes and goes within some minutes, the same for all. */
export const loaded = (pod: WorldPod) =>
  forkBy(1.1)(pod) *
  Math.exp(0.4 * Math.sin(pod.window / 3 + 6 * pod.fixed('phase')) * pod.fixed(`load ${pod.window >> 3}`))
export const daily = (pod: WorldPod) => forkBy(1.1)(pod) * (1.5 + 0.5 * Math.sin((2 * Math.PI * pod.window) / 120))

type Ends = Omit<WorldStory, 'begin' | 'of'>
export const latency = (of: Partial<Timed>, ends: Ends, answering: Answering = inBuckets): WorldStory => ({
  ...ends,
  of: 'times',
  begin: judgeOf(timed({ pods: [2, 5], draw: logNormal(0.5), ...of }), LATENCY, answering),
})
/** As `latency`, of which probes are a route, compared route by route. */
export const byRoute = (of: Partial<Timed>, ends: Ends): WorldStory => ({
  ...ends,
  of: 'times',
  begin: judgeOf(timed({ pods: [2, 5], draw: logNormal(0.5), ...of }), STRATIFIED, inBucketsByRoute),
})
export const errors = (
  pods: PodCounts,
  rates: readonly [number, number],
  how: () => Failing,
  ends: Ends,
): WorldStory => ({
  ...ends,
  of: 'errors',
  begin: judgeOf(
    failing(pods, (pod) => rates[isFork(pod) ? 0 : 1], how),
    ERRORS,
    asEvents,
  ),
})
export const ofWorld = (world: World, metric: Metric, answering: Answering, ends: Ends): WorldStory => ({
  ...ends,
  of: metric === LATENCY ? 'times' : 'errors',
  begin: judgeOf(world, metric, answering),
})
export const restarts = (world: Parameters<typeof judgeOfRestarts>[0], ends: Ends): WorldStory => ({
  ...ends,
  begin: judgeOfRestarts(world),
})
