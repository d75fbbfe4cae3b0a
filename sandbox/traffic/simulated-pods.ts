import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Counter, Histogram, Registry } from 'prom-client'

/** How a pod answers requests. */
export interface Behavior {
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

/** One pod, with the metrics that servers usually have. */
class Pod {
  behavior: Behavior = {}
  readonly registry = new Registry()
  readonly #requests = new Counter({
    name: 'http_requests_total',
    help: 'Answered requests, by status code.',
    labelNames: ['code'],
    registers: [this.registry],
  })
  readonly #seconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long answers took.',
    registers: [this.registry],
  })
  #count = 0

  async answer(address: string, response: ServerResponse): Promise<void> {
    this.#count += 1
    const { medianSeconds = 0, failsEvery } = this.behavior
    const askedMs = performance.now()
    if (medianSeconds > 0) await pause(secondsOf(this.#count, medianSeconds) * 1_000)
    const code = failsEvery !== undefined && this.#count % failsEvery === 0 ? 500 : 200
    this.#requests.inc({ code })
    this.#seconds.observe((performance.now() - askedMs) / 1_000)
    response.writeHead(code).end(address)
  }
}

/** Pods that exist as soon as a client calls their address. One server for each port simulates all of them. */
export function simulatedPods(): SimulatedPods {
  const pods = new Map<string, Pod>()
  const servers = new Map<number, Promise<unknown>>()

  function podAt(address: string): Pod {
    const known = pods.get(address)
    if (known !== undefined) return known
    const pod = new Pod()
    pods.set(address, pod)
    return pod
  }
  async function answer({ url, socket }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { localAddress = '' } = socket
    const pod = podAt(localAddress)
    if (url !== '/metrics') return pod.answer(localAddress, response)
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
      const listening = once(server.listen(port, '0.0.0.0'), 'listening')
      servers.set(port, listening)
      return listening
    },
    behave(behaviors) {
      for (const [address, behavior] of Object.entries(behaviors)) podAt(address).behavior = behavior
    },
  }
}
