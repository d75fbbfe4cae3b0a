/** A client that sends requests while something happens to a run, and what nobody may find out through them. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { GATE, IS_EXPERIMENT } from '../../common/api/names.ts'
import { at, listOr } from '../../common/json/json.ts'
import { ApiError } from '../../sandbox/api.ts'
import { type Burst, failedIn, LOST_BY_KUBE_PROXY, requestsIn, usesTraffic } from '../faults/asked.ts'
import { usesKubeProxy } from '../integration/kube-proxy.ts'
import type { Place } from '../integration/product.ts'
import { isTrue } from './gated-forks.ts'

/** While something happens, and at least. */
const REQUESTS = Number(process.env.REQUESTS ?? 2_000)
/** As many as a busy Service has, or so many more that they take as long. */
const PER_SECOND = Math.max(300, REQUESTS / 10)
const PERIOD_MS = 100
/**
 * After so long no node sends requests to an address that a Service does not list any more: kube-proxy waits a second
 * between two syncs, and a change that comes during one waits for the next. 2.2 s were seen on a slow machine.
 */
const FOLLOWED_MS = 3_000
/** For so long the requests must be as expected after that. */
const SEEN_MS = 2_000

/** What may be expected of the requests while something goes on. */
type Expected =
  /** some fail, also until nodes follow its end: the Service does not exist, or selects no ready pod */
  | 'failures'
  /** no pod of a gated fork answers, as soon as nodes follow its begin */
  | 'no fork'

interface Period {
  readonly is: Expected
  readonly fromMs: number
  untilMs: number
}

/** What a story can do with the client that sends its requests. */
export interface Client {
  /** says what may be expected of the requests while it does `work` */
  readonly expecting: <T>(is: Expected, work: () => Promise<T>) => Promise<T>
  /** resolves when nodes would have followed, and requests were sent since */
  readonly goesOn: () => Promise<void>
}

type Traffic = Parameters<typeof usesKubeProxy>[0]

/** In a `describe`: kube-proxy runs on the control plane of the place, or its tests are skipped. */
export function usesRequests(place: () => Place, plane: Traffic) {
  const { ask, serves } = usesTraffic(place, usesKubeProxy(plane))

  /** Knows when each address was last seen to be a pod that may have requests, and which are of gated forks. */
  function podsOf(app: string) {
    const openAtMs = new Map<string, number>()
    const gated = new Set<string>()
    return {
      gated,
      async look(): Promise<void> {
        const pods = await place().api.list(`${place().path('pods')}?labelSelector=app=${app}`)
        const nowMs = performance.now()
        for (const pod of pods) {
          const address = String(at(pod, 'status', 'podIP'))
          const gates = listOr(at(pod, 'spec', 'readinessGates')).map((gate) => at(gate, 'conditionType'))
          const isGated = gates.includes(GATE)
          if (isGated) gated.add(address)
          else gated.delete(address)
          if (!isGated || isTrue(pod, GATE)) openAtMs.set(address, nowMs)
        }
      },
      wasOpen: (address: string, atMs: number) =>
        (openAtMs.get(address) ?? Number.NEGATIVE_INFINITY) > atMs - FOLLOWED_MS,
    }
  }

  /** A burst; where there is no Service, all of it has failed. */
  async function burstOf(service: string): Promise<Burst> {
    const fromMs = performance.now()
    const count = Math.ceil((PER_SECOND * PERIOD_MS) / 1_000)
    const answers = await ask(service, count).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return { byPod: {}, failures: { 'no Service': count } }
      throw error
    })
    return { fromMs, untilMs: performance.now(), answers }
  }

  /**
   * Sends requests to the Service `name` until `story` is over and there were enough. None is lost, but for what the
   * story expects, and none reaches a pod of `app=NAME` that is shut.
   */
  async function during(name: string, story: (client: Client) => Promise<void>): Promise<void> {
    const pods = podsOf(name)
    const periods: Period[] = []
    const waiting: { readonly untilMs: number; readonly resolve: () => void }[] = []
    const expecting: Client['expecting'] = async (is, work) => {
      const period: Period = { is, fromMs: performance.now(), untilMs: Number.POSITIVE_INFINITY }
      periods.push(period)
      return work().finally(() => {
        period.untilMs = performance.now()
      })
    }
    await pods.look()
    let isOver = false
    const goesOn = () =>
      new Promise<void>((resolve) => waiting.push({ untilMs: performance.now() + FOLLOWED_MS + SEEN_MS, resolve }))
    const told = story({ expecting, goesOn }).finally(() => {
      isOver = true
    })
    told.catch(() => undefined) // awaited below
    const bursts: Burst[] = []
    const found: string[] = []
    let sent = 0
    while (!isOver || sent < REQUESTS) {
      const burst = await burstOf(name)
      await pods.look()
      bursts.push(burst)
      sent += requestsIn(burst.answers)
      for (const address of Object.keys(burst.answers.byPod)) {
        if (!pods.wasOpen(address, burst.fromMs)) found.push(`${address}, which is shut, answers`)
        const isIn = ({ is, fromMs, untilMs }: Period) =>
          is === 'no fork' && burst.fromMs > fromMs + FOLLOWED_MS && burst.untilMs < untilMs
        if (pods.gated.has(address) && periods.some(isIn)) found.push(`${address} of the fork answers`)
      }
      for (const { untilMs, resolve } of waiting) if (burst.fromMs > untilMs) resolve()
      await pause(Math.max(0, burst.fromMs + PERIOD_MS - performance.now()))
    }
    await told
    const mayFail = ({ fromMs, untilMs }: Burst) =>
      periods.some((of) => of.is === 'failures' && untilMs > of.fromMs && fromMs < of.untilMs + FOLLOWED_MS)
    const failed = bursts.filter((burst) => failedIn(burst.answers) > 0 && !mayFail(burst))
    const lost = failed.reduce((sum, { answers }) => sum + failedIn(answers), 0)
    const what = JSON.stringify(failed.map(({ answers }) => answers.failures))
    console.log(`      ${name}: ${sent} requests, ${lost} lost`)
    expect(found, name).to.deep.equal([])
    expect(lost, `${name}: ${what} of ${sent}`).to.be.at.most(Math.ceil(sent * LOST_BY_KUBE_PROXY))
  }

  /** Whether only pods of experiments answer the requests to `service`, which selects pods of `app=NAME`. */
  async function isOnlyFork(service: string, name: string): Promise<boolean> {
    const { byPod } = await ask(service, 50)
    const pods = await place().api.list(`${place().path('pods')}?labelSelector=app=${name},${IS_EXPERIMENT}=true`)
    const ofForks = new Set(pods.map((pod) => at(pod, 'status', 'podIP')))
    return Object.keys(byPod).length > 0 && Object.keys(byPod).every((address) => ofForks.has(address))
  }

  return { serves, during, isOnlyFork }
}
