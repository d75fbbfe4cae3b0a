import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ANALYSIS_PROVIDER } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { ControlPlane } from '../control-plane.ts'
import type { Behavior } from '../traffic/simulated-pods.ts'
import type { Traffic } from '../traffic/traffic.ts'
import { scrapePods, writeTargets } from './scrape-pods.ts'
import { type NoPrometheus, type Prometheus, startPrometheus } from './server.ts'

/** Two values and more in each window, which lasts 10 s or longer. */
const SCRAPE_SECONDS = 2
/** For a scrape at the end of a window, and until it can be asked for. */
const LAG_SECONDS = 5
/** How soon a new pod behaves as its version does, and is scraped. */
const FOLLOW_MS = 500
/** At once: each of a few clients sends some of them, one after the other. */
const REQUESTS = 30

interface ScrapedPodsOptions {
  readonly plane: ControlPlane
  readonly traffic: Traffic
  readonly namespace: string
  /** how pods with one container behave, by the tag of its image. Others answer at once */
  readonly versions: Readonly<Record<string, Behavior>>
}

/** Requests to a Service that go on. */
interface Asking {
  /** when the first one was sent, on the clock of `performance` */
  readonly fromMs: number
  /** Resolves when the last one has been answered. @throws Error if requests could not be sent */
  readonly end: () => Promise<void>
}

/** The pods of a namespace, which behave as their versions do, and are scraped. */
export interface ScrapedPods {
  /**
   * Starts a Prometheus that scrapes them. Each name has its own data, which stay when it is stopped, and its own
   * address. Ports are those of the network namespace.
   */
  readonly prometheus: (name: string, port: number) => Promise<Prometheus | NoPrometheus>
  /** Sends requests to a Service until they are ended. */
  readonly ask: (service: string) => Asking
  /** Resolves when pods are not followed any more. To be called before the end of the traffic. */
  readonly stop: () => Promise<void>
}

/** Follows the pods of a namespace: what they are, and how they answer. */
export async function scrapedPods({ plane, traffic, namespace, versions }: ScrapedPodsOptions): Promise<ScrapedPods> {
  const folder = await mkdtemp(join(plane.stateDirectory, 'prometheus-'))
  const targets = join(folder, 'targets.json')
  const folders = new Map<string, Promise<string>>()
  let isOver = false

  async function follow(): Promise<void> {
    const pods = await plane.api.list<KubeObject>(`/api/v1/namespaces/${namespace}/pods`)
    await traffic.behave(Object.fromEntries(pods.flatMap((pod) => behaviorOf(pod, versions))))
    await writeTargets(targets, pods)
  }
  async function followAll(): Promise<void> {
    while (!isOver) {
      await follow()
      await pause(FOLLOW_MS)
    }
  }
  await follow()
  const following = followAll()
  following.catch(() => undefined) // `stop` reports it

  return {
    async prometheus(name, port) {
      const known = folders.get(name) ?? mkdtemp(join(folder, `${name}-`))
      folders.set(name, known)
      const scrapes = [scrapePods({ targets, seconds: SCRAPE_SECONDS })]
      const { supervise } = plane
      return startPrometheus({ supervise, folder: await known, port, scrapes, namespace: traffic.namespace })
    },
    ask(service) {
      const fromMs = performance.now()
      let hasEnded = false
      async function asking(): Promise<void> {
        while (!hasEnded) await traffic.requests(REQUESTS, { namespace, service })
      }
      const asked = asking()
      asked.catch(() => undefined) // `end` reports it
      return {
        fromMs,
        end: () => {
          hasEnded = true
          return asked
        },
      }
    },
    stop() {
      isOver = true
      return following
    },
  }
}

/** How a pod behaves, by its address. Nothing while it has none. */
function behaviorOf(pod: KubeObject, versions: ScrapedPodsOptions['versions']) {
  const image = String(at(listOr(at(pod, 'spec', 'containers'))[0], 'image'))
  const behavior = versions[image.slice(image.lastIndexOf(':') + 1)]
  const address = at(pod, 'status', 'podIP')
  return typeof address === 'string' && behavior ? [[address, behavior] as const] : []
}

/** Creates the provider for a Prometheus, as an admin does. */
export const createProvider = (plane: ControlPlane, name: string, { address }: Pick<Prometheus, 'address'>) =>
  plane.api.create(resourcePath(ANALYSIS_PROVIDER), {
    apiVersion: ANALYSIS_PROVIDER.apiVersion,
    kind: ANALYSIS_PROVIDER.kind,
    metadata: { name },
    spec: { type: 'Prometheus', address, namespaceSelector: {}, lagSeconds: LAG_SECONDS, freeQueries: true },
  })
