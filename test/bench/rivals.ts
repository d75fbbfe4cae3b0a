/** The rules that people use today, on the same requests that the engine judges. */
import { mannWhitney } from '../../common/analysis/engine/mann-whitney.ts'
import type { ArmsOfRequests, PodRequests } from './worlds.ts'

/** What a rule says after a window. */
export type Said = 'Wait' | 'Pass' | 'Fail'
/** A rule in the course of one experiment. */
export type Rival = (window: ArmsOfRequests) => Said

const GATED = { minSamples: 50, zScoreThreshold: 1.96, harmThreshold: 1.5 }
/** As many samples of an arm as Gated Deployments compares at a time. */
const MOST_SAMPLES = 450
/** Above this part of the source's number a window is a violation: for times, and for errors. */
const [LIMIT, ERROR_LIMIT] = [1.25, 2]
/** So many violations in a row are a Fail, and so many good windows a Pass. */
const [VIOLATIONS, GOOD] = [3, 5]

const all = <T>(pods: readonly PodRequests[], of: (pod: PodRequests) => readonly T[]): readonly T[] => pods.flatMap(of)
const sum = (pods: readonly PodRequests[], of: (pod: PodRequests) => number) =>
  pods.reduce((total, pod) => total + of(pod), 0)
const rateOf = (pods: readonly PodRequests[]) => sum(pods, ({ errors }) => errors) / sum(pods, (pod) => pod.requests)

/** Some samples of an arm, evenly spread over its pods: times, or errors as ones. */
function samplesOf(pods: readonly PodRequests[]): readonly number[] {
  const times = all(pods, (pod) => pod.times)
  const every = Math.ceil(Math.max(1, times.length / MOST_SAMPLES))
  if (times.length > 0) return times.filter((_, index) => index % every === 0)
  const count = Math.min(
    MOST_SAMPLES,
    sum(pods, ({ requests }) => requests),
  )
  const errors = Math.round(count * rateOf(pods))
  return Array.from({ length: count }, (_, index) => Number(index < errors))
}

/** Gated Deployments' rule at each window anew, as it is when somebody asks again. */
const repeated = (): Rival => (window) => {
  const { verdict } = mannWhitney(samplesOf(window.treatment), samplesOf(window.control), GATED)
  return ({ notSignificant: 'Wait', noHarm: 'Pass', harm: 'Fail' } as const)[verdict]
}

/** A limit as Argo Rollouts and Flagger have it, on how the number of the fork compares with that of its source. */
function limited(numberOf: (pods: readonly PodRequests[]) => number, limit: number): Rival {
  let [violations, good] = [0, 0]
  return (window) => {
    const isOver = numberOf(window.treatment) > limit * numberOf(window.control)
    violations = isOver ? violations + 1 : 0
    good += Number(!isOver)
    if (violations >= VIOLATIONS) return 'Fail'
    return good >= GOOD && !isOver ? 'Pass' : 'Wait'
  }
}

function p99(pods: readonly PodRequests[]): number {
  const times = Float64Array.from(all(pods, (pod) => pod.times)).sort()
  return times[Math.ceil(0.99 * times.length) - 1] ?? 0
}

const average = (pods: readonly PodRequests[]): number => {
  const times = all(pods, (pod) => pod.times)
  return times.length === 0 ? 0 : times.reduce((total, time) => total + time, 0) / times.length
}

/** New rules for one experiment, by name. */
export const rivals = (of: 'times' | 'errors'): Readonly<Record<string, Rival>> =>
  of === 'times'
    ? { 'repeated Mann–Whitney': repeated(), p99: limited(p99, LIMIT), average: limited(average, LIMIT) }
    : { 'repeated Mann–Whitney': repeated(), 'error rate': limited(rateOf, ERROR_LIMIT) }
