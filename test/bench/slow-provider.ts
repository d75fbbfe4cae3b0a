import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { ANALYSIS_PROVIDER, ANALYSIS_RUN } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, objectOr } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { type Installation, WITH_ANALYSIS } from '../../sandbox/installation.ts'
import { inParallel } from '../in-parallel.ts'
import { type Bench, type Figure, limitFigure, ratioFigure } from './figure.ts'
import { experiments, type Side } from './forks.ts'
import { usageOf } from './process-usage.ts'
import { createCrowd, type Stand, withProduct } from './stand.ts'

const COUNT = 200
/** Just within the time that a provider has. */
const ANSWER_MS = 9_500
/** Analyses of another provider, in the same namespace. */
const QUICK = 10
const INTERVAL_SECONDS = 10
const ANALYSED = 'analysed'
const LANES = 32
const DEADLINE_MS = 300_000
/** Between two looks at what may grow. */
const GROWTH_MS = 180_000
const ALIVE_EVERY_MS = 1_000
const LAG = /^experiment_controller_analysis_lag_seconds (\S+)$/m

const UNDECIDED = JSON.stringify({ decision: 'Wait' })

type Product = Stand & { readonly product: Installation }

/** Plugins that never decide: `/slow` takes long, `/quick` does not. */
async function startProviders() {
  const counts = { asked: 0, open: 0, most: 0 }
  const server = createServer((asked, response) => {
    if (asked.url !== '/slow') {
      asked.resume()
      response.end(UNDECIDED)
      return
    }
    counts.asked += 1
    counts.open += 1
    counts.most = Math.max(counts.most, counts.open)
    asked.resume()
    const answer = setTimeout(() => response.end(UNDECIDED), ANSWER_MS)
    response.on('close', () => {
      clearTimeout(answer)
      counts.open -= 1
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { address: `http://127.0.0.1:${port}`, counts, stop }
}

/** Experiments that are watched by way of the slow provider, and the last ones of the quick one. */
const analysed: Side = {
  ...experiments,
  name: 'experiments with an analysis',
  object: (index, namespace, source) => {
    const { spec, ...rest } = objectOr(experiments.object(index, namespace, source))
    const provider = index < COUNT ? 'slow' : 'quick'
    const metrics = [{ name: 'decided', kind: 'Decision', provider, plugin: {} }]
    const analysis = { intervalSeconds: INTERVAL_SECONDS, warmUpSeconds: 0, metrics }
    return { ...rest, spec: { ...objectOr(spec), analysis } }
  },
}

async function createAnalyses(stand: Stand, address: string): Promise<void> {
  const { apiVersion, kind } = ANALYSIS_PROVIDER
  for (const name of ['slow', 'quick']) {
    const spec = { type: 'Plugin', address: `${address}/${name}`, namespaceSelector: {}, lagSeconds: 0 }
    await stand.plane.api.create(resourcePath(ANALYSIS_PROVIDER), { apiVersion, kind, metadata: { name }, spec })
  }
  await secondsUntilReady(stand, ANALYSED, analysed, COUNT + QUICK)
  await eventually('a first look at each run', DEADLINE_MS, async () => {
    const seen = (await runs(stand)).filter(({ status }) => status !== undefined)
    if (seen.length < COUNT + QUICK) throw new Error(`there were ${seen.length}`)
  })
}

const runs = ({ plane: { api } }: Stand) => api.list<KubeObject>(resourcePath(ANALYSIS_RUN, { namespace: ANALYSED }))

/** How often analyses of the quick provider were looked at. */
async function quickLooks(stand: Stand): Promise<number> {
  const quick = (await runs(stand)).filter(({ spec }) => JSON.stringify(spec).includes('"provider":"quick"'))
  if (quick.length !== QUICK) throw new Error(`${quick.length} runs of the quick provider`)
  return quick.reduce((sum, { status }) => sum + Number(at(status, 'looks') ?? 0), 0)
}

async function deleteAnalyses({ plane: { api } }: Stand): Promise<void> {
  const path = experiments.path(ANALYSED)
  await inParallel(LANES, await api.list<KubeObject>(path), ({ metadata }) => api.delete(`${path}/${metadata.name}`))
  await eventually('the forks to be gone', DEADLINE_MS, async () => {
    const left = await api.list<KubeObject>(`/api/v1/namespaces/${ANALYSED}/pods`)
    if (left.some(({ metadata }) => metadata.name.includes('-experiment-'))) throw new Error('pods of forks are there')
  })
}

/** The seconds until so many experiments are ready in a new namespace. */
async function secondsUntilReady(stand: Stand, namespace: string, side = experiments, count = COUNT): Promise<number> {
  const { watch, seconds } = await createCrowd(stand, { side, namespace, count, deadlineMs: DEADLINE_MS })
  watch.stop()
  return seconds
}

/** Asks the controller every second whether it is well, until it is stopped. Returns how often it was not. */
function startDoctor({ product }: Product) {
  const stopping = new AbortController()
  const url = `http://127.0.0.1:${product.healthPorts.controller}/livez`
  const isWell = async () => {
    const { statusCode, body } = await request(url)
    await body.dump()
    return statusCode === 200
  }
  const visited = async () => {
    const counts = { asked: 0, ill: 0 }
    while (!stopping.signal.aborted) {
      counts.asked += 1
      if (!(await isWell().catch(() => false))) counts.ill += 1
      await sleep(ALIVE_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    return counts
  }
  const visits = visited()
  return () => {
    stopping.abort()
    return visits
  }
}

async function lagSeconds({ product }: Product): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${product.healthPorts.controller}/metrics`)
  return Number(LAG.exec(await body.text())?.[1])
}

/** What some minutes of nothing but analyses do to the memory of the controller, and to those of the quick provider. */
async function minutesFigures(stand: Product, tell: (line: string) => void): Promise<readonly Figure[]> {
  const { pid } = stand.product.controller()
  const { residentMiB: against } = await usageOf(pid)
  const lags: number[] = []
  const [looksBefore, beganMs] = [await quickLooks(stand), performance.now()]
  for (const endMs = performance.now() + GROWTH_MS; performance.now() < endMs; lags.push(await lagSeconds(stand)))
    await sleep(GROWTH_MS / 6)
  tell(`the most overdue look was late by ${lags.map((each) => each.toFixed(0)).join(', ')} s`)
  const { residentMiB: value } = await usageOf(pid)
  const looks = (await quickLooks(stand)) - looksBefore
  const due = (QUICK * (performance.now() - beganMs)) / 1_000 / INTERVAL_SECONDS
  return [
    ratioFigure({ name: `memory after ${GROWTH_MS / 60_000} min`, value, unit: 'MiB', against, atMost: 1.2 }),
    ratioFigure({
      name: 'looks at analyses of another provider',
      value: looks,
      unit: 'looks',
      against: due,
      atLeast: 0.9,
    }),
  ]
}

/** What a provider that answers late costs everybody else. */
export const slowProvider: Bench = {
  name: 'slow-provider',
  measures: `${COUNT} experiments beside ${COUNT} analyses whose provider takes ${ANSWER_MS / 1_000} s, and without them`,
  run: async (tell) => {
    const provider = await startProviders()
    try {
      return await withProduct(tell, (stand) => beside(provider, stand, tell), {
        overlay: WITH_ANALYSIS,
        settings: { ANALYSIS_LOOPBACK: 'allow' },
      })
    } finally {
      provider.stop()
    }
  },
}

async function beside(
  { address, counts }: Awaited<ReturnType<typeof startProviders>>,
  stand: Product,
  tell: (line: string) => void,
): Promise<readonly Figure[]> {
  const seconds: Record<'with' | 'without', number[]> = { with: [], without: [] }
  const measure = async (side: keyof typeof seconds) => {
    const found = await secondsUntilReady(stand, `${side}-${seconds[side].length}`)
    tell(`${COUNT} experiments ${side} analyses: ${found.toFixed(1)} s`)
    seconds[side].push(found)
  }
  await secondsUntilReady(stand, 'warm-up')
  await measure('without')
  await createAnalyses(stand, address)
  const stopDoctor = startDoctor(stand)
  await measure('with')
  const minutes = await minutesFigures(stand, tell)
  await measure('with')
  const { asked, ill } = await stopDoctor()
  tell(`the provider was asked ${counts.asked} times, at most ${counts.most} at once`)
  await deleteAnalyses(stand)
  await measure('without')
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return [
    ratioFigure({
      ...{ name: `${COUNT} experiments to Ready, beside analyses`, unit: 's', atMost: 1.2 },
      ...{ value: mean(seconds.with), against: mean(seconds.without) },
    }),
    ...minutes,
    limitFigure({ name: 'livez that was not ok', value: ill, unit: 'times', against: asked, atMost: 0 }),
  ]
}
