import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'

/** What must hold, by name: undefined while it does, else what is wrong or waited for. */
export type Checks = Readonly<Record<string, () => string | undefined>>

/** What a probe or a monitor asks. */
export interface Probes {
  /** all must hold for a program to be ready */
  readonly checks: Checks
  readonly metrics?: Metrics
}

/** Prometheus' text format, since 2014. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Plain HTTP for kubelet and monitors: `/livez` answers while the event loop turns, `/readyz` lists each check and is
 * 503 unless all hold, `/metrics` tells numbers.
 */
export function healthServer({ checks, metrics }: Probes): Server {
  const pages: Readonly<Record<string, (response: ServerResponse) => void>> = {
    '/livez': (response) => send(response, 200, 'ok\n'),
    '/readyz': (response) => {
      const { isReady, lines } = readiness(checks)
      send(response, isReady ? 200 : 503, `${lines.join('\n')}\n`)
    },
    ...(metrics && { '/metrics': (response) => void sendMetrics(response, metrics) }),
  }
  return createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page) page(response)
    else send(response, 404, `only ${Object.keys(pages).join(', ')} are served here\n`)
  })
}

/** The lines that Kubernetes' own programs answer a probe with. */
function readiness(checks: Checks): { readonly isReady: boolean; readonly lines: readonly string[] } {
  const found = Object.entries(checks).map(([name, check]) => ({ name, finding: check() }))
  return {
    isReady: found.every(({ finding }) => finding === undefined),
    lines: found.map(({ name, finding }) => (finding === undefined ? `[+]${name} ok` : `[-]${name}: ${finding}`)),
  }
}

async function sendMetrics(response: ServerResponse, metrics: Metrics): Promise<void> {
  try {
    send(response, 200, await metrics.text(), METRICS_TYPE)
  } catch (error) {
    send(response, 500, `a metric cannot be read: ${error instanceof Error ? error.message : error}\n`)
  }
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text)
}
