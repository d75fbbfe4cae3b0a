/** Pods that answer as their versions do, and real Prometheus servers that scrape them. */
import { createProvider, type ScrapedPods, scrapedPods } from '../../sandbox/prometheus/scraped-pods.ts'
import type { Prometheus } from '../../sandbox/prometheus/server.ts'
import { usesControlPlane } from '../integration/fixture.ts'
import { usesKubeProxy } from '../integration/kube-proxy.ts'
import type { Place } from '../integration/product.ts'

/** Half of the answers of the source take longer. */
const MEDIAN_SECONDS = 0.05

const VERSIONS = {
  '1': { medianSeconds: MEDIAN_SECONDS },
  equal: { medianSeconds: MEDIAN_SECONDS },
  slower: { medianSeconds: 2 * MEDIAN_SECONDS },
  failing: { medianSeconds: MEDIAN_SECONDS, failsEvery: 5 },
  silent: { medianSeconds: MEDIAN_SECONDS, hasMetrics: false },
}

/** What a program is a version of, as the tag of its image. */
export type Version = keyof typeof VERSIONS

/** The providers, each a Prometheus of its own. */
const PORTS = { scraped: 29_090, interrupted: 29_091 }

/** In a `describe`: kube-proxy and Prometheus run, or its tests are skipped. */
export function usesScrapedPods(place: () => Place) {
  const plane = usesControlPlane()
  let pods: ScrapedPods | undefined
  after('nobody follows the pods any more', () => pods?.stop())
  const traffic = usesKubeProxy() // it ends after that
  const running = new Map<string, Prometheus>()
  const found = (): ScrapedPods => {
    if (!pods) throw new Error('pods are scraped while tests run')
    return pods
  }
  before('Prometheus scrapes all pods', async function () {
    this.timeout(60_000)
    pods = await scrapedPods({ plane: plane(), traffic: traffic(), namespace: place().namespace, versions: VERSIONS })
    for (const [name, port] of Object.entries(PORTS)) {
      const started = await pods.prometheus(name, port)
      if ('unavailable' in started) {
        console.error(`no real Prometheus here: ${started.unavailable}`)
        this.skip()
      }
      running.set(name, started)
      await createProvider(plane(), name, started)
    }
  })
  return {
    ask: (service: string) => found().ask({ namespace: place().namespace, service }),
    stop: async (name: keyof typeof PORTS) => running.get(name)?.stop(),
    /** Starts one again that was stopped. */
    async start(name: keyof typeof PORTS) {
      const started = await found().prometheus(name, PORTS[name])
      if ('unavailable' in started) throw new Error(started.unavailable)
      running.set(name, started)
    },
  }
}
