import { join } from 'node:path'
import { POD, SERVICE } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import { resourcePath } from '../common/kube/client/resources.ts'
import type { ControlPlane } from './control-plane.ts'
import { createProvider, scrapedPods } from './prometheus/scraped-pods.ts'
import { whyNoPrometheus } from './prometheus/server.ts'
import { whyNoNamespace } from './traffic/namespace.ts'
import { steadyRequests } from './traffic/steady.ts'
import { toldAnswers } from './traffic/told.ts'
import { type ServiceName, startTraffic } from './traffic/traffic.ts'

/** Half of the answers of a pod take longer. */
const MEDIAN_SECONDS = 0.05
/** How pods behave, by the tag of their image. */
const VERSIONS = {
  slow: { medianSeconds: 2 * MEDIAN_SECONDS },
  failing: { medianSeconds: MEDIAN_SECONDS, failsEvery: 10 },
}
const TEMPLATES = join(import.meta.dirname, '../manifests/analysis-templates')
/** In the network namespace. */
const PORT = 29_090

/** What is simulated beside Kubernetes. */
export interface Simulated {
  readonly product: boolean
  readonly prometheus: boolean
}

/** Requests to all Services, which go on, and perhaps a Prometheus. */
export interface Simulation {
  /** the address of Prometheus, if it runs */
  readonly prometheus: string | undefined
  /** Sends more requests to a Service. Returns a text that shows who answered. @throws Error if it does not exist */
  readonly requests: (asked: ServiceName, count: number) => Promise<string>
  /** Resolves when no more requests are sent and kube-proxy is gone. To be called before the control plane ends. */
  readonly end: () => Promise<void>
}

/** Where to look for the tools of network namespaces, and for Prometheus. Default: where they usually are */
interface Tools {
  readonly path?: string
  readonly program?: string
}

/** Why this machine cannot do it, with the option that wants it and what to do. Undefined: it can. */
export async function whyNoSimulation(
  { prometheus }: Pick<Simulated, 'prometheus'>,
  { path, program }: Tools = {},
): Promise<string | undefined> {
  const noTraffic = await whyNoNamespace(path)
  if (noTraffic !== undefined) return `--traffic is not possible here: ${noTraffic}`
  const noPrometheus = prometheus ? await whyNoPrometheus(program) : undefined
  return noPrometheus === undefined ? undefined : `--prometheus is not possible here: ${noPrometheus}`
}

/** Starts what `whyNoSimulation` has found possible. @throws Error that says what did not start */
export async function simulate(
  plane: ControlPlane,
  { product, prometheus, say }: Simulated & { readonly say: (line: string) => void },
): Promise<Simulation> {
  const traffic = available(await startTraffic(plane))
  const others = { medianSeconds: MEDIAN_SECONDS }
  const pods = await scrapedPods({ plane, traffic, versions: VERSIONS, others })
  const server = prometheus ? available(await pods.prometheus('prometheus', PORT)) : undefined
  if (server && product) {
    await createProvider(plane, 'prometheus', server)
    const { code, stderr } = await plane.kubectl(['apply', '-k', TEMPLATES])
    if (code !== 0) throw new Error(`the templates for analyses were refused: ${stderr.trim()}`)
  }
  const ending = new AbortController()
  const steady = steadyRequests({ plane, traffic, say }, ending.signal)

  async function requests(asked: ServiceName, count: number): Promise<string> {
    const { namespace, service } = asked
    const services = await plane.api.list<KubeObject>(resourcePath(SERVICE, { namespace }))
    const names = services.map(({ metadata }) => metadata.name)
    if (!names.includes(service)) {
      const instead = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
      throw new Error(`there is no service/${service} in the namespace ${namespace}; ${instead}`)
    }
    const answers = await traffic.requests(count, asked)
    const answering = await plane.api.list<KubeObject>(resourcePath(POD, { namespace }))
    return [`${count} requests to service/${service} in ${namespace}:`, ...toldAnswers(answers, answering)].join('\n')
  }
  async function end(): Promise<void> {
    ending.abort()
    await steady
    await pods.stop()
    await traffic.stop()
  }
  return { prometheus: server?.address, requests, end }
}

function available<T extends object>(started: T | { readonly unavailable: string }): T {
  if ('unavailable' in started) throw new Error(started.unavailable)
  return started
}
