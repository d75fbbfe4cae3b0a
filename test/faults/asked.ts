/** Services that real requests are sent to while something happens to the pods behind them. */
import { expect } from 'chai'
import { COMMAND, IS_EXPERIMENT } from '../../common/api/names.ts'
import { at, isEqual } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import type { Answers } from '../../sandbox/traffic/burst.ts'
import { usesKubeProxy } from '../integration/kube-proxy.ts'
import { DEADLINE_MS, type Place } from '../integration/product.ts'

/** While something happens, and at least. */
export const REQUESTS = 20_000
/** At once: the addresses of a Service are read before each burst. */
const BURST = 1_000
/**
 * The part of new connections that kube-proxy itself may lose while it changes its rules, also of a Service that nobody
 * touches: 2 of 60,000 were seen. It is one request of the 20,000; a Service without endpoints loses hundreds.
 */
export const LOST_BY_KUBE_PROXY = 5 / 100_000
/** For kube-proxy to send no more to an address that a pod has no more, on a busy machine. */
const STALE_MS = 5_000

/** Some requests, and when they were sent and answered. */
export interface Burst {
  readonly fromMs: number
  readonly untilMs: number
  readonly answers: Answers
}

interface HowToAsk {
  readonly least?: number
  readonly burst?: number
  /** is awaited before the next burst */
  readonly afterEach?: (burst: Burst) => Promise<void>
}

/** In a `describe`: kube-proxy runs, or its tests are skipped. Returns what sends requests to Services of the place. */
export function usesTraffic(place: () => Place, running = usesKubeProxy()) {
  const ask = async (service: string, count: number): Promise<Answers> =>
    running().requests(count, { namespace: place().namespace, service })

  /** Waits until kube-proxy sends requests to `pods` pods. */
  const serves = (service: string, pods: number): Promise<void> =>
    eventually(`${pods} pods of ${service} to be asked`, DEADLINE_MS, async () => {
      const { byPod } = await ask(service, 200)
      expect(Object.keys(byPod)).to.have.length(pods)
    })

  /** Sends requests until something has happened, and then until there were enough. @throws what it rejects with */
  async function askWhile(
    happening: Promise<unknown>,
    service: string,
    { least = REQUESTS, burst = BURST, afterEach }: HowToAsk = {},
  ): Promise<readonly Burst[]> {
    let isOver = false
    const settled = happening.finally(() => {
      isOver = true
    })
    settled.catch(() => undefined) // awaited below
    const bursts: Burst[] = []
    while (!isOver || bursts.length * burst < least) {
      const fromMs = performance.now()
      const answers = await ask(service, burst)
      const sent = { fromMs, untilMs: performance.now(), answers }
      bursts.push(sent)
      await afterEach?.(sent)
    }
    await settled
    return bursts
  }

  /**
   * Says `verb` to a run, and sends requests until it is at `step` and there were enough. None may fail but those that
   * kube-proxy loses.
   */
  async function moves(name: string, verb: string, step: string, how: HowToAsk = {}): Promise<readonly Burst[]> {
    const { api, path, shows } = place()
    const patch = { metadata: { annotations: { [COMMAND]: verb } } }
    const said = api.patch(path('experiments', name), patch)
    const moving = said.then(() => shows(name, step, ({ status }) => status?.strategy?.step === step))
    const bursts = await askWhile(moving, name, how)
    const failures = bursts.map(({ answers }) => answers.failures).filter((each) => !isEqual(each, {}))
    const sent = bursts.reduce((sum, { answers }) => sum + requestsIn(answers), 0)
    const failed = bursts.reduce((sum, { answers }) => sum + failedIn(answers), 0)
    const what = `${JSON.stringify(failures)} of ${sent} requests while ${verb} leads to ${step}`
    if (failed > 0) console.log(`      failed: ${what}`)
    expect(failed, what).to.be.at.most(Math.ceil(sent * LOST_BY_KUBE_PROXY))
    return bursts
  }

  return { ask, serves, askWhile, moves, synced: () => running().synced() }
}

const total = (counts: Answers['byPod']): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

/** How many requests were answered. */
export const answeredIn = ({ byPod }: Answers): number => total(byPod)
/** How many requests failed. */
export const failedIn = ({ failures }: Answers): number => total(failures)
export const requestsIn = (answers: Answers): number => answeredIn(answers) + failedIn(answers)

/** Knows which addresses the pods of a source had, and when: an address is given again when its pod is gone. */
export function addressesOf(place: () => Place, source: string) {
  const seenAtMs = new Map<string, number>()
  return {
    async look(): Promise<void> {
      const pods = await place().api.list(`${place().path('pods')}?labelSelector=app=${source},!${IS_EXPERIMENT}`)
      const nowMs = performance.now()
      for (const pod of pods) seenAtMs.set(String(at(pod, 'status', 'podIP')), nowMs)
    },
    /** Who else answered, and how often. To be called after another look. */
    othersIn({ fromMs, answers }: Pick<Burst, 'fromMs' | 'answers'>): Readonly<Record<string, number>> {
      const isOfSource = (address: string) => (seenAtMs.get(address) ?? Number.NEGATIVE_INFINITY) > fromMs - STALE_MS
      return Object.fromEntries(Object.entries(answers.byPod).filter(([address]) => !isOfSource(address)))
    },
  }
}
