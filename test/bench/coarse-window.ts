/** What a real Prometheus answers for one window of a histogram. */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { WindowAnswer } from '../../common/analysis/query/window-query.ts'
import { PROMETHEUS } from '../../controller/analysis/providers/prometheus.ts'
import type { Send } from '../../controller/analysis/providers/provider.ts'
import { startSupervisor } from '../../sandbox/processes.ts'
import { startPrometheus } from '../../sandbox/prometheus/server.ts'
import { windowQuery } from '../common/analysis/query/window-queries.ts'
import { counter, sender } from '../controller/analysis/providers/real-prometheus.ts'
import { aProvider } from '../controller/analysis/providers/sending.ts'

/** A small fork beside its source: together they have 1,000 requests. */
const PODS = { treatment: ['cart-exp-a', 'cart-exp-b'], control: [1, 2, 3, 4, 5, 6].map((each) => `cart-${each}`) }
const REQUESTS_OF_A_POD = 125
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5]
/** When values are stored, in seconds after the begin of the window, which is 30 s long. */
const STORED_AT = [-20, -5, 0, 10, 25, 30, 35]
const WINDOW_SECONDS = 30

/** Counters of each pod, with the same requests, which take all times up to the last boundary. */
const series = Object.values(PODS).flatMap((pods) =>
  pods.flatMap((pod) =>
    [...BOUNDARIES, '+Inf'].map((le, index) => {
      const part = Math.min(1, (index + 1) / BOUNDARIES.length) ** 2
      const perSecond = (part * REQUESTS_OF_A_POD) / WINDOW_SECONDS
      const course = STORED_AT.map((seconds) => [seconds, Math.round((seconds - (STORED_AT[0] ?? 0)) * perSecond)])
      return counter('shop', 'latency_bucket', pod, Object.fromEntries(course), { le: `${le}` })
    }),
  ),
)

/** Its answers as texts, and what they say. @throws Error where there is no Prometheus */
export async function coarseWindow(): Promise<{ readonly texts: readonly string[]; readonly answer: WindowAnswer }> {
  const supervisor = await startSupervisor()
  try {
    const folder = await mkdtemp(join(supervisor.stateDirectory, 'prometheus-'))
    const prometheus = await startPrometheus({ supervise: supervisor.start, folder })
    if ('unavailable' in prometheus) throw new Error(prometheus.unavailable)
    await prometheus.write(series)
    const texts: string[] = []
    const { send, close } = sender(prometheus.address)
    const noted: Send = async (request) => {
      const reply = await send(request)
      if (reply.is === 'json') texts.push(JSON.stringify(reply.json))
      return reply
    }
    const query = windowQuery(
      'Latency',
      { histogram: 'latency' },
      {
        arms: {
          treatment: { workload: 'cart-exp', pods: PODS.treatment },
          control: { workload: 'cart', pods: PODS.control },
        },
      },
    )
    const answer = await PROMETHEUS.ask(query, aProvider({ type: 'Prometheus' }), noted)
    await close()
    return { texts, answer }
  } finally {
    await supervisor.stop()
  }
}
