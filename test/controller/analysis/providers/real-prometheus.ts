/** A real Prometheus for the tests of a file, with series for its windows. */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { parseJson } from '../../../../common/json/json.ts'
import type { Send } from '../../../../controller/analysis/providers/provider.ts'
import { type Supervisor, startSupervisor } from '../../../../sandbox/processes.ts'
import type { WrittenSeries } from '../../../../sandbox/prometheus/remote-write.ts'
import { type Prometheus, startPrometheus } from '../../../../sandbox/prometheus/server.ts'
import { WINDOW } from '../../../common/analysis/query/window-queries.ts'

/** In a `describe`: Prometheus runs, or its tests are skipped. Returns what writes to it and where it is. */
export function usesPrometheus(): () => Prometheus {
  let supervisor: Supervisor | undefined
  let prometheus: Prometheus | undefined
  before('Prometheus runs', async function () {
    this.timeout(60_000)
    supervisor = await startSupervisor()
    const folder = await mkdtemp(join(supervisor.stateDirectory, 'prometheus-'))
    const started = await startPrometheus({ supervise: supervisor.start, folder })
    if ('unavailable' in started) {
      console.error(`no real Prometheus here: ${started.unavailable}`)
      this.skip()
    }
    prometheus = started
  })
  after(() => supervisor?.stop())
  return () => {
    if (!prometheus) throw new Error('Prometheus runs while tests run')
    return prometheus
  }
}

/** Sends to an address without any guard, for servers of our own on the loopback interface. */
export function sender(address: string): { readonly send: Send; readonly close: () => Promise<void> } {
  const dispatcher = new Agent()
  const send: Send = async ({ method, path, body: sent }) => {
    const headers = sent && { 'content-type': sent.type }
    const { statusCode, body } = await request(`${address}${path}`, {
      dispatcher,
      method,
      ...(headers && { headers, body: sent.text }),
    })
    const text = await body.text()
    return statusCode === 200 ? { is: 'json', json: parseJson(text) } : { is: 'failed', message: `${statusCode}` }
  }
  return { send, close: () => dispatcher.close() }
}

/** Milliseconds since 1970, so many seconds after the begin of the window. */
export const secondsIn = (seconds: number): number => WINDOW.start + seconds * 1_000

/** Values by seconds after the begin of the window. */
export type Course = Readonly<Record<string, number | 'stale'>>

/** A counter of a pod in `namespace`. */
export const counter = (
  namespace: string,
  name: string,
  pod: string,
  course: Course,
  labels: Readonly<Record<string, string>> = {},
): WrittenSeries => ({
  labels: { __name__: name, namespace, pod, ...labels },
  values: Object.entries(course)
    .map(([seconds, value]) => ({ at: secondsIn(Number(seconds)), value }))
    .toSorted((one, other) => one.at - other.at),
})
