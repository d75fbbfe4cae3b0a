import { Session } from 'node:inspector'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Facts } from '../../common/facts/facts.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { aBlueGreen } from '../common/advance/blue-greens.ts'
import { plan, statusOf } from '../common/of-facts.ts'
import { aRun, aRunExperiment } from '../common/plan/some-run.ts'
import { type Bench, type Figure, median } from './figure.ts'

/** The rooms whose functions say what the facts mean. */
const ROOMS = ['common/run-state', 'common/situation', 'common/surroundings'].map((room) => room.replaceAll('/', sep))

/** How often `work` calls exported functions of the rooms, by V8's precise coverage. */
async function callsIn(work: () => void): Promise<ReadonlyMap<string, number>> {
  const session = new Session()
  session.connect()
  const post = <T>(method: string, params: object = {}) =>
    new Promise<T>((resolve, reject) => {
      session.post(method, params, (error, result) => (error ? reject(error) : resolve(result as T)))
    })
  await post('Profiler.enable')
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await post('Profiler.takePreciseCoverage') // forgets what was called before
  work()
  const { result } = await post<Coverage>('Profiler.takePreciseCoverage')
  await post('Profiler.stopPreciseCoverage')
  session.disconnect()
  const counts = new Map<string, number>()
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || !ROOMS.some((room) => fileURLToPath(url).includes(`${sep}${room}${sep}`))) continue
    const exported = new Set(Object.keys((await import(url)) as object))
    for (const { functionName, ranges } of functions)
      if (exported.has(functionName)) counts.set(functionName, ranges[0]?.count ?? 0)
  }
  return counts
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

/** The facts of a canary at a pause, and of a blue-green in its preview. */
function runs(): Readonly<Record<string, Facts>> {
  const canary = aRun()
  canary.rest()
  const blueGreen = aBlueGreen()
  blueGreen.rest()
  return { 'paused canary': canary.facts(), 'blue-green in its preview': blueGreen.facts() }
}

const CHARACTERS = 160_000
const ROUNDS = 15

/** Milliseconds of one pass, its status included, over an override of 160,000 characters. */
function largePassMs(): number {
  const env = Array.from({ length: 1_000 }, (_, index) => ({ name: `V${index}`, value: 'x'.repeat(130) }))
  const overrideSpec: JsonObject = { template: { spec: { containers: [{ name: 'cart', env }] } } }
  if (Math.abs(JSON.stringify(overrideSpec).length - CHARACTERS) > 5_000) throw new Error('it has another size')
  const run = aRun(aRunExperiment({ overrideSpec, overrideType: 'Strategic' }))
  run.rest()
  const facts = run.facts()
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now()
    statusOf(facts, plan(facts).conclusion)
    return performance.now() - started
  })
  return median(times)
}

export const pass: Bench = {
  name: 'pass',
  measures: 'how often one plan asks what the facts mean, and a pass over an override of 160,000 characters',
  async run(tell) {
    const figures: Figure[] = []
    for (const [name, facts] of Object.entries(runs())) {
      plan(facts)
      const counts = await callsIn(() => plan(facts))
      const most = [...counts].sort(([, a], [, b]) => b - a).slice(0, 12)
      tell(`${name}: ${most.map(([of, count]) => `${of} ${count}`).join(', ')}`)
      const value = [...counts.values()].reduce((sum, count) => sum + count, 0)
      tell(`${name}: ${value} calls`)
    }
    tell(`large: ${largePassMs().toFixed(1)} ms`)
    return figures
  },
}
