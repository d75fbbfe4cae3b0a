import { createServer, type Server, type ServerResponse } from 'node:http'
import { limitConnections } from './connections.ts'
import type { Metrics } from './metrics.ts'
import { SingleFlight } from './single-flight.ts'

/** What the server of `healthServer` reports. */
export interface Probes {
  /** by name: each returns undefined while it passes, or else what is wrong or still missing; ready when all pass */
  readonly checks: Checks
  /** in the same form: live when all pass. They must not ask the API server: a restart would not bring it back. */
  readonly live?: Checks
  readonly metrics?: Pick<Metrics, 'text'>
  /** the connections that may be open at once */
  readonly maxConnections?: number
}

type Checks = Readonly<Record<string, () => string | undefined>>

/** The text format of Prometheus, since 2014. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** The time for a request to arrive, and for its response to be read. Kubelet and Prometheus wait no longer. */
const LIMIT_MS = 10_000

/**
 * A server of plain HTTP for kubelet and Prometheus. `/livez` and `/readyz` list each of their checks, with status
 * 503 unless all pass. `/metrics` is there if there are metrics. Where no NetworkPolicy is enforced, every pod may call
 * it. So connections are limited, and many callers share one reading of the metrics.
 */
export function healthServer({ checks, live = {}, metrics, maxConnections: max = 100 }: Probes): Server {
  const readings = new SingleFlight<string>()
  const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/livez': (response) => sendChecks(response, live),
    '/readyz': (response) => sendChecks(response, checks),
    ...(metrics && {
      '/metrics': (response) => void sendMetrics(response, () => readings.of('all', () => metrics.text())),
    }),
  }
  const settings = {
    headersTimeout: LIMIT_MS,
    requestTimeout: LIMIT_MS,
    connectionsCheckingInterval: LIMIT_MS / 4, // with the 30 s of Node, our 10 s would become 40 s
  }
  const server = createServer(settings, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page) page(response)
    else send(response, 404, `not found; this server has ${Object.keys(pages).join(', ')}\n`)
  })
  server.setTimeout(LIMIT_MS)
  limitConnections({ server, max, answerMs: LIMIT_MS })
  return server
}

function sendChecks(response: ServerResponse, checks: Checks): void {
  const found = Object.entries(checks).map(([name, check]) => [name, check()] as const)
  const isPassed = found.every(([, finding]) => finding === undefined)
  // the format of Kubernetes' own programs
  const lines = found.map(([name, finding]) => (finding === undefined ? `[+]${name} ok` : `[-]${name}: ${finding}`))
  send(response, isPassed ? 200 : 503, `${[...lines, ...(isPassed ? ['ok'] : [])].join('\n')}\n`)
}

async function sendMetrics(response: ServerResponse, read: () => Promise<string>): Promise<void> {
  try {
    send(response, 200, await read(), METRICS_TYPE)
  } catch (error) {
    send(response, 500, `cannot read a metric: ${error instanceof Error ? error.message : error}\n`)
  }
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text)
}
