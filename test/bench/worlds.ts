/** Requests and restarts of the pods of two versions, made window by window without anything of the engine's model. */

import type { ArmPodView } from '../../common/analysis/run/poll.ts'
import type { Arm } from '../../common/analysis/window-data.ts'
import { fnv1a } from '../../common/json/fnv1a.ts'
import { seeded } from '../seeded.ts'

/** What the requests of a pod in a window were. */
export interface PodRequests {
  readonly pod: string
  /** in seconds; empty where a world has only errors */
  readonly times: readonly number[]
  readonly requests: number
  readonly errors: number
}

/** A window of both versions. */
export type ArmsOfRequests = Readonly<Record<Arm, readonly PodRequests[]>>

/** A pod whose requests are made. */
export interface WorldPod {
  readonly arm: Arm
  readonly index: number
  readonly window: number
  /** equal in all windows of an experiment for the same words, in [0, 1) */
  readonly fixed: (words: string) => number
}

type Random = () => number
/** Makes the windows of one experiment, in their order. */
export type World = (random: Random, seed: number) => (window: number) => ArmsOfRequests

/** Both versions have these many pods: of the fork, and of its source. */
export type PodCounts = readonly [number, number]

/** A standard normal variable (polar method). */
export function normal(random: Random): number {
  for (;;) {
    const [x, y] = [2 * random() - 1, 2 * random() - 1]
    const square = x * x + y * y
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square)
  }
}

/** A Poisson variable: by the times between events, and of a large mean by the normal law. */
export function poisson(mean: number, random: Random): number {
  if (mean > 60) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)))
  let count = 0
  for (let product = random(); product > Math.exp(-mean); product *= random()) count += 1
  return count
}

const wordOf = { treatment: 'fork', control: 'source' } as const

/** Both arms in a window, pod by pod. */
function armsOf(
  [own, others]: PodCounts,
  at: { readonly window: number; readonly seed: number },
  make: (pod: WorldPod) => Omit<PodRequests, 'pod'> & { readonly pod?: string },
): ArmsOfRequests {
  const fixed = (words: string) => seeded(fnv1a(`${words} of ${at.seed}`))()
  const arm = (name: Arm, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      pod: `${wordOf[name]}-${index}`,
      ...make({ arm: name, index, window: at.window, fixed }),
    }))
  return { treatment: arm('treatment', own), control: arm('control', others) }
}

/** Requests of probes take one or two milliseconds. */
export const LONGEST_PROBE = 0.002

/** How the times of a world are. */
export interface Timed {
  readonly pods: PodCounts
  /** mean requests of a pod in a window; default 60 */
  readonly each?: (pod: WorldPod) => number
  /** the time of one request of a usual pod */
  readonly draw: (random: Random) => number
  /** how many times as slow a pod is */
  readonly slowness?: (pod: WorldPod) => number
  /** requests of a pod that take at most `LONGEST_PROBE`, as those of probes do; default: none */
  readonly probes?: number
  /** the name of a pod; default: the same in all windows */
  readonly nameOf?: (pod: WorldPod) => string
}

/** A world of times. */
export const timed =
  ({ pods, each = () => 60, draw, slowness = () => 1, probes = 0, nameOf }: Timed): World =>
  (random, seed) =>
  (window) =>
    armsOf(pods, { window, seed }, (pod) => {
      const factor = slowness(pod)
      const real = Array.from({ length: poisson(each(pod), random) }, () => factor * draw(random))
      const times = [...real, ...Array.from({ length: probes }, () => (LONGEST_PROBE * (1 + random())) / 2)]
      return { times, requests: times.length, errors: 0, ...(nameOf ? { pod: nameOf(pod) } : {}) }
    })

/** How errors come. `rate`: the part of the requests of a pod that fail in the long run. */
export type Failing = (
  of: { readonly pod: WorldPod; readonly requests: number; readonly rate: number },
  random: Random,
) => { readonly errors: number; readonly requests: number }

const REQUESTS_OF_A_POD = 300

/** A world of errors, at ten requests a second and pod. */
export const failing =
  (pods: PodCounts, rateOf: (pod: WorldPod) => number, newFailing: () => Failing, each = REQUESTS_OF_A_POD): World =>
  (random, seed) => {
    const fail = newFailing()
    return (window) =>
      armsOf(pods, { window, seed }, (pod) => {
        const requests = poisson(each, random)
        return { times: [], ...fail({ pod, requests, rate: rateOf(pod) }, random) }
      })
  }

/** Each request fails for itself. */
export const alone: () => Failing =
  () =>
  ({ requests, rate }, random) => ({ requests, errors: Math.min(requests, poisson(requests * rate, random)) })

/** Errors come `size` at a time, to one pod. */
export const inBursts =
  (size: number): (() => Failing) =>
  () =>
  ({ requests, rate }, random) => ({
    requests,
    errors: Math.min(requests, size * poisson((requests * rate) / size, random)),
  })

/** A failed request is tried again at the same pod, up to three times, and mostly fails again. */
export const withRetries: () => Failing =
  () =>
  ({ requests, rate }, random) => {
    let [errors, tried] = [0, requests]
    for (let first = poisson((requests * rate) / 3, random); first > 0; first -= 1) {
      let more = 1
      while (more < 4 && random() < 0.8) more += 1
      errors += more
      tried += more - 1
    }
    return { requests: tried, errors: Math.min(tried, errors) }
  }

/** A pod fails by itself for four windows on average, and then 30 % of its requests do. */
export const inOutages = (): Failing => {
  const [MEAN, PART] = [4, 0.3]
  const isOut = new Map<string, boolean>()
  return ({ pod, requests, rate }, random) => {
    const key = `${pod.arm} ${pod.index}`
    const share = rate / PART
    const begins = share / (MEAN * (1 - share))
    const out = isOut.get(key) ? random() >= 1 / MEAN : random() < begins
    isOut.set(key, out)
    return { requests, errors: out ? Math.min(requests, poisson(requests * PART, random)) : 0 }
  }
}

/** In a tenth of its windows a pod has an outage: it completes a tenth of its requests, and all of these fail. */
export const inTimeouts: () => Failing =
  () =>
  ({ requests, rate }, random) => {
    const completed = random() < 0.1 ? Math.max(1, poisson(requests / 10, random)) : undefined
    return completed === undefined
      ? { requests, errors: Math.min(requests, poisson(requests * rate, random)) }
      : { requests: completed, errors: completed }
  }

/** `world`, of which `part` of all windows lack the second pod of an arm, as after a scrape that failed. */
export const missing =
  (world: World, arm: Arm, part: number): World =>
  (random, seed) => {
    const windowOf = world(random, seed)
    return (window) => {
      const arms = windowOf(window)
      return random() < part ? { ...arms, [arm]: arms[arm].filter((_, index) => index !== 1) } : arms
    }
  }

/** Restarts of a pod: when, and until when it is not Ready. In seconds. */
interface Restart {
  readonly at: number
  readonly until: number
}

/** The pods of both versions at a time, as Kubernetes tells of them. */
export type RestartWorld = (random: Random) => (seconds: number) => Readonly<Record<Arm, readonly ArmPodView[]>>

/** The restarts of a pod in the first `seconds`. */
export type Restarting = (arm: Arm, index: number, seconds: number, random: Random) => readonly Restart[]

/** A world of restarts. */
export const restarting =
  ([own, others]: PodCounts, restartsOf: Restarting, seconds: number): RestartWorld =>
  (random) => {
    const arm = (name: Arm, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: `${wordOf[name]}-${index}`,
        restarts: restartsOf(name, index, seconds, random),
      }))
    const arms = { treatment: arm('treatment', own), control: arm('control', others) }
    const seen = (pods: typeof arms.control, now: number): readonly ArmPodView[] =>
      pods.map(({ name, restarts }) => {
        const past = restarts.filter(({ at }) => at <= now)
        const until = past.at(-1)?.until ?? -3_600
        const ready = until <= now ? { readySinceMs: 1_000 * until } : {}
        return { name, uid: name, createdMs: -3_600_000, restarts: past.length, ...ready }
      })
    return (now) => ({ treatment: seen(arms.treatment, now), control: seen(arms.control, now) })
  }

/** Crash loops of up to four restarts, each with a longer pause before the pod is Ready again. `perHour`: of a pod. */
export const inLoops =
  (perHour: (arm: Arm) => number, most = 4): Restarting =>
  (arm, _index, seconds, random) => {
    const restarts: Restart[] = []
    for (let at = 0; ; ) {
      at += (-Math.log(1 - random()) * 3_600) / perHour(arm)
      if (at > seconds) return restarts
      for (let left = 1 + Math.floor(most * random()), pause = 10; left > 0; left -= 1, pause *= 2) {
        restarts.push({ at, until: at + pause })
        at += pause + 5 + 10 * random() // it runs for so long before it ends again
      }
      at += 300 // a loop that begins anew at once would be a longer one
    }
  }

/** One pod of the fork restarts every half minute, for good. */
export const always: Restarting = (arm, index, seconds) =>
  arm === 'treatment' && index === 0
    ? Array.from({ length: Math.floor(seconds / 30) }, (_, count) => ({ at: 30 * count + 15, until: 30 * count + 25 }))
    : []
