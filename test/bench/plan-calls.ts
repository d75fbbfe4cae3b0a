import { Session } from 'node:inspector'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Facts } from '../../common/facts/facts.ts'
import { plan } from '../common/of-facts.ts'
import { aRun } from '../common/plan/some-run.ts'
import { aBlueGreen } from '../common/run/blue-greens.ts'

/** The rooms whose functions say what the facts mean. */
const ROOMS = ['common/situation', 'common/surroundings'].map((room) => room.replaceAll('/', sep))

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

/** By the name of a run and the name of a function: how often one plan of the run calls that function of the rooms. */
export async function planCalls(): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
  const counts: Record<string, Record<string, number>> = {}
  for (const [name, facts] of Object.entries(runs())) {
    plan(facts) // what is kept from one plan to the next one is no call of a plan
    counts[name] = Object.fromEntries(await callsIn(() => plan(facts)))
  }
  return counts
}
