import { createServer } from 'node:http'
import { closed, listening } from '../../common/listen.ts'
import { jsonLog } from '../../common/log.ts'
import { Metrics } from '../../common/metrics.ts'
import { defaultsPatch } from '../../webhook/default.ts'
import { type InFlight, inFlight } from '../../webhook/in-flight.ts'
import { reviewMetrics } from '../../webhook/metrics.ts'
import { admissionApp, type Deciding } from '../../webhook/server.ts'

export type Ask = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>

/** The app as a test sees it. */
export interface Asked {
  readonly ask: Ask
  readonly log: readonly string[]
  /** the lines that a monitor reads */
  readonly all: () => Promise<readonly string[]>
  /** those that count something */
  readonly counted: () => Promise<readonly string[]>
}

/** Serves the app on a free port while `story` runs. */
export async function serving(
  validate: Deciding['validate'],
  story: (asked: Asked) => Promise<void>,
  flight: InFlight = inFlight(),
): Promise<void> {
  const lines: string[] = []
  const log = jsonLog({ destination: { write: (line) => lines.push(line) }, level: 'debug' })
  const metrics = new Metrics()
  const server = createServer(
    admissionApp({ mutate: defaults, validate, log, flight, metrics: reviewMetrics(metrics, flight) }),
  )
  const port = await listening(server, 0, '127.0.0.1')
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
    await closed(server)
  }
}

/** Defaults that need nobody else. */
export const defaults: Deciding['mutate'] = async (request) => ({ allowed: true, patch: defaultsPatch(request) })

/** A verdict for everybody. */
export const allow: Deciding['validate'] = async () => ({ is: 'admitted', warnings: ['[Plan] x'] })

/** Holds every review until `go` is called; `arrived` resolves when the first is there. */
export function holding() {
  const [gate, first] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const validate: Deciding['validate'] = async (...review) => {
    first.resolve()
    await gate.promise
    return allow(...review)
  }
  return { validate, arrived: first.promise, go: gate.resolve }
}
