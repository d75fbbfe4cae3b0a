import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Counter, Histogram, Registry } from 'prom-client'

/** How a pod answers requests. */
export interface Behavior {
  /** the uid of the pod that has the address now. One with another uid counts from 0. Default: it stays the same one */
  readonly uid?: string | undefined
  /** half of its answers take longer, in seconds. Default: it answers at once */
  readonly medianSeconds?: number
  /** one of this number of requests fails with HTTP 500. Default: none */
  readonly failsEvery?: number
  /** whether it has a page of metrics. Default: true */
  readonly hasMetrics?: boolean
}

/** Behaviors of pods, by their addresses. */
export type Behaviors = Readonly<Record<string, Behavior>>

/** Simulates all pods in the network namespace. */
interface SimulatedPods {
  /** Resolves when pods answer at this port. Each answers with its own address, `/metrics` with its metrics. */
  readonly listen: (port: number) => Promise<unknown>
  /** Changes how pods behave from now on. All others keep their behavior. */
  readonly behave: (behaviors: Behaviors) => void
  /** Pods answer no more. */
  readonly close: () => Promise<void>
}

/** How much the times of answers differ: the standard deviation of their logarithms. */
const SPREAD = 0.5
/** For the n-th request, a part of 1 that has not been near before: n times the golden ratio, less its whole part. */
const partAt = (n: number): number => (n * ((Math.sqrt(5) - 1) / 2)) % 1

/** A value of the logistic distribution with standard deviation 1, which is close to the normal one. */
const deviationAt = (part: number): number => (Math.log(part / (1 - part)) * Math.sqrt(3)) / Math.PI

/** How long the n-th answer (from 1) of a pod takes, in seconds. There is no chance in it, so that tests repeat. */
const secondsOf = (n: number, medianSeconds: number): number =>
  medianSeconds * Math.exp(SPREAD * deviationAt(partAt(n)))

/** One pod, with the metrics that servers usually have, and those that a sidecar of Istio adds. */
class Pod {
  behavior: Behavior = {}
  readonly registry = new Registry()
  readonly #requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests, by status code and path.',
    labelNames: ['code', 'route'],
    registers: [this.registry],
  })
  readonly #seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long answers took.',
    registers: [this.registry],
  })
  readonly #sidecarRequests = new Counter({
    name: 'istio_requests_total',
    help: 'Answered requests, by status code.',
    labelNames: ['reporter', 'response_code'],
    registers: [this.registry],
  })
  readonly #sidecarMilliseconds = new Histogram({
    name: 'istio_request_duration_milliseconds',
    help: 'How long answers took.',
    labelNames: ['reporter'],
    buckets: [0.5, 1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000],
    registers: [this.registry],
  })
  #count = 0

  async answer({ route, address }: Asked, response: ServerResponse): Promise<void> {
    this.#count += 1
    const { medianSeconds = 0, failsEvery } = this.behavior
    const askedMs = performance.now()
    if (medianSeconds > 0) await pause(secondsOf(this.#count, medianSeconds) * 1_000)
    const code = failsEvery !== undefined && this.#count % failsEvery === 0 ? 500 : 200
    const tookMs = performance.now() - askedMs
    this.#requests.inc({ code, route })
    this.#seconds.observe(tookMs / 1_000)
    this.#sidecarRequests.inc({ reporter: 'destination', response_code: code })
    this.#sidecarMilliseconds.observe({ reporter: 'destination' }, tookMs)
    response.writeHead(code).end(address)
  }
}

/** The path of a request, and the address of the pod that it came to. */
interface Asked {
  readonly route: string
  readonly address: string
}

/** Pods that exist as soon as a client calls their address. One server for each port simulates all of them. */
export function simulatedPods(): SimulatedPods {
  const pods = new Map<string, Pod>()
  const servers = new Map<number, Promise<Server>>()

  function podAt(address: string): Pod {
    const known = pods.get(address)
    if (known !== undefined) return known
    const pod = new Pod()
    pods.set(address, pod)
    return pod
  }
  function behaveAt(address: string, behavior: Behavior): void {
    const { uid } = podAt(address).behavior
    if (uid !== undefined && uid !== behavior.uid) pods.delete(address) // its address was given to another pod
    podAt(address).behavior = behavior
  }
  async function answer({ url = '', socket }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { localAddress: address = '' } = socket
    const pod = podAt(address)
    if (url !== '/metrics') return pod.answer({ route: url, address }, response)
    if (pod.behavior.hasMetrics === false) {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-type', pod.registry.contentType).end(await pod.registry.metrics())
  }
  return {
    listen(port) {
      const known = servers.get(port)
      if (known !== undefined) return known
      const server = createServer({ keepAlive: false }, (asked, response) => void answer(asked, response))
      const listening = once(server.listen(port, '0.0.0.0'), 'listening').then(() => server)
      servers.set(port, listening)
      return listening
    },
    behave(behaviors) {
      for (const [address, behavior] of Object.entries(behaviors)) behaveAt(address, behavior)
    },
    async close() {
      for (const server of await Promise.all(servers.values())) server.close()
    },
  }
}
