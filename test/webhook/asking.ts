import { createServer } from 'node:http'
import { close, listen } from '../../common/program/listen.ts'
import { jsonLog } from '../../common/program/log.ts'
import { Metrics } from '../../common/program/metrics.ts'
import { type InFlight, inFlight } from '../../webhook/http/in-flight.ts'
import { reviewMetrics } from '../../webhook/http/metrics.ts'
import { type AdmissionHandlers, admissionApp } from '../../webhook/http/server.ts'
import { defaultsPatch } from '../../webhook/review/defaults-patch.ts'

export type Ask = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>

/** The app under test, its log and its metrics. */
export interface Asked {
  readonly ask: Ask
  readonly log: readonly string[]
  /** all lines of the metrics */
  readonly all: () => Promise<readonly string[]>
  /** the lines of counters above zero */
  readonly counted: () => Promise<readonly string[]>
}

/** Serves the app on a free port while `story` runs. */
export async function serving(
  validate: AdmissionHandlers['validate'],
  story: (asked: Asked) => Promise<void>,
  flight: InFlight = inFlight(),
  more: Pick<AdmissionHandlers, 'guards' | 'timers'> = {},
): Promise<void> {
  const lines: string[] = []
  const log = jsonLog({ destination: { write: (line) => lines.push(line) }, level: 'debug' })
  const metrics = new Metrics()
  const server = createServer(
    admissionApp({ mutate: defaults, validate, log, flight, metrics: reviewMetrics(metrics, flight), ...more }),
  )
  const port = await listen(server, 0, '127.0.0.1')
  const ask: Ask = (path, body, headers = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const all = async () => (await metrics.text()).split('\n').filter((line) => /^[^#]/.test(line))
  const counted = async () => (await all()).filter((line) => /_total\b.* [1-9]\d*$/.test(line))
  try {
    await story({ ask, log: lines, all, counted })
  } finally {
    await close(server)
  }
}

/** The defaults, without a request to the API server. */
export const defaults: AdmissionHandlers['mutate'] = async (request) => ({
  allowed: true,
  patch: defaultsPatch(request, { now: new Date(0) }),
})

/** Allows every review, with a warning. */
export const allow: AdmissionHandlers['validate'] = async () => ({
  is: 'admitted',
  warnings: [{ reason: 'Plan', message: 'x' }],
})

/** Holds every review until `go` is called. `arrived` resolves when the first one has arrived. */
export function holding() {
  const [gate, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const validate: AdmissionHandlers['validate'] = async (...review) => {
    first.resolve()
    await gate.promise
    return allow(...review)
  }
  return { validate, arrived: first.promise, go: gate.resolve }
}
