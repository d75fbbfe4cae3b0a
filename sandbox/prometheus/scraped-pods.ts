import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ANALYSIS_PROVIDER, POD } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import type { ControlPlane } from '../control-plane.ts'
import type { Behavior } from '../traffic/simulated-pods.ts'
import type { ServiceName, Traffic } from '../traffic/traffic.ts'
import { METRICS_PORT, scrapePods, writeTargets } from './scrape-pods.ts'
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
  /** default: the pods of all namespaces */
  readonly namespace?: string
  /** how pods behave, by the tag of the image of their first container */
  readonly versions: Readonly<Record<string, Behavior>>
  /** how all others behave. Default: they answer at once */
  readonly others?: Behavior
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
  readonly ask: (asked: ServiceName) => Asking
  /** Resolves when pods are not followed any more. To be called before the end of the traffic. */
  readonly stop: () => Promise<void>
}

/** Follows pods: what they are, and how they answer. */
export async function scrapedPods(options: ScrapedPodsOptions): Promise<ScrapedPods> {
  const { plane, traffic, namespace } = options
  const folder = await mkdtemp(join(plane.stateDirectory, 'prometheus-'))
  const targets = join(folder, 'targets.json')
  const folders = new Map<string, Promise<string>>()
  let isOver = false

  async function follow(): Promise<void> {
    const pods = await plane.api.list<KubeObject>(resourcePath(POD, namespace === undefined ? {} : { namespace }))
    await traffic.behave(Object.fromEntries(pods.flatMap((pod) => behaviorOf(pod, options))))
    await writeTargets(targets, pods)
  }
  async function followAll(): Promise<void> {
    while (!isOver) {
      await follow()
      await pause(FOLLOW_MS)
    }
  }
  await traffic.listen(METRICS_PORT)
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
    ask(asked) {
      const fromMs = performance.now()
      let hasEnded = false
      async function asking(): Promise<void> {
        while (!hasEnded) await traffic.requests(REQUESTS, asked)
      }
      const answered = asking()
      answered.catch(() => undefined) // `end` reports it
      return {
        fromMs,
        end: () => {
          hasEnded = true
          return answered
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
function behaviorOf(pod: KubeObject, { versions, others }: Pick<ScrapedPodsOptions, 'versions' | 'others'>) {
  const image = String(at(listOr(at(pod, 'spec', 'containers'))[0], 'image'))
  const behavior = versions[image.slice(image.lastIndexOf(':') + 1)] ?? others
  const address = at(pod, 'status', 'podIP')
  const { uid } = pod.metadata
  return typeof address === 'string' && behavior ? [[address, { ...behavior, uid }] as const] : []
}

/** Creates the provider for a Prometheus, as an admin does. */
export const createProvider = (plane: ControlPlane, name: string, { address }: Pick<Prometheus, 'address'>) =>
  plane.api.create(resourcePath(ANALYSIS_PROVIDER), {
    apiVersion: ANALYSIS_PROVIDER.apiVersion,
    kind: ANALYSIS_PROVIDER.kind,
    metadata: { name },
    spec: { type: 'Prometheus', address, namespaceSelector: {}, lagSeconds: LAG_SECONDS, freeQueries: true },
  })
