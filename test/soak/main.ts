/** `npm run test:soak [-- MINUTES [SEED]]`: whether anything grows while experiments come and go. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '../../sandbox/bundles.ts'
import { commandLine } from '../../sandbox/command-line.ts'
import { startControlPlane } from '../../sandbox/control-plane.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, type Installation, install } from '../../sandbox/installation.ts'
import { aligned } from '../aligned.ts'
import { Churn } from './churn.ts'
import { levelVerdict, type Point, settled, trendOf, type Verdict, verdictOn } from './trend.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS = ['controller', 'webhook'] as const
/** from the beginning of a change to that of the next: memory for Events depends on how many there are in a minute */
const STEP_MS = 200
const SAMPLES = 60
const MEMORY_LIMIT_MIB = 1 // per ten minutes
const MIB = 2 ** 20

const USAGE = `npm run test:soak [-- MINUTES [SEED]]

Creates, changes, scales and deletes experiments and changes their sources for MINUTES, by default 30. Measures memory
after a garbage collection, sockets, timers, the queue and the caches of both programs. Fails if one of them grows after
the first third, or if a change did not reach a fork within 30 s. The same SEED makes the same changes.

  --help`

interface Probed {
  readonly bytes: number
  readonly rss: number
  readonly sockets: number
  readonly timers: number
}

/** The sum of all series of a metric. */
const sumOf = (metrics: string, name: string): number =>
  metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

const { positionals, refuse } = commandLine(USAGE, { allowPositionals: true })
const [minutes = 30, seed = Math.floor(Math.random() * 2 ** 31)] = positionals.map(Number)
if (!(minutes > 0) || !Number.isSafeInteger(seed)) refuse(`MINUTES and SEED are numbers, not: ${positionals.join(' ')}`)

const say = (line: unknown): void => console.error(line)
const plane = await startControlPlane({ say, crds: await crds() })
try {
  const socketOf = (program: Program) => join(plane.stateDirectory, `${program}.probe`)
  const probe = join(ROOT, 'test/soak/probe.ts')
  const product = await install(plane, {
    argsOf: (name) => ['--expose-gc', '--import', probe, join(ROOT, name, 'main.ts'), socketOf(name)],
  })
  process.exitCode = (await soak(product, socketOf)) ? 0 : 1
} finally {
  await plane.stop()
}

/** Runs, prints the table, and returns whether all is flat. */
async function soak({ healthPorts }: Installation, socketOf: (program: Program) => string): Promise<boolean> {
  console.log(`soak: ${minutes} min, seed ${seed}`)
  const churn = new Churn(plane.api, seed)
  await churn.prepare()
  const series = new Map<string, Point[]>()
  const started = performance.now()
  const minute = () => (performance.now() - started) / 60_000
  const note = (name: string, value: number) => series.set(name, [...(series.get(name) ?? []), [minute(), value]])

  const sample = async () => {
    for (const program of PROGRAMS) {
      const { bytes, rss, sockets, timers } = JSON.parse(await text(connect(socketOf(program)))) as Probed
      note(`${program} memory after GC, MiB`, bytes / MIB)
      note(`${program} resident memory, MiB`, rss / MIB)
      note(`${program} sockets`, sockets)
      note(`${program} timers`, timers)
    }
    const metrics = await (await fetch(`http://127.0.0.1:${healthPorts.controller}/metrics`)).text()
    for (const name of ['queue_depth', 'reflector_objects', 'workers_busy', 'events_dropped_total'])
      note(`controller ${name}`, sumOf(metrics, `experiment_controller_${name}`))
  }

  const every = async (ms: number, act: () => Promise<unknown>) => {
    for (let dueMs = performance.now() + ms; minute() < minutes; dueMs += ms) {
      await act()
      await sleep(Math.max(0, dueMs - performance.now()))
    }
  }
  await Promise.all([
    every(STEP_MS, () => churn.step()),
    every(1_000, () => churn.check()),
    every((minutes * 60_000) / SAMPLES, sample),
  ])
  await eventually('all forks to fit', 60_000, async () => {
    const late = await churn.check()
    if (late > 0) throw new Error(`${late} do not`)
  }).catch(say) // they were counted as missed
  return report(churn, series)
}

function report({ done, missed }: Churn, series: ReadonlyMap<string, readonly Point[]>): boolean {
  const rows = [...series].map(([name, all]) => {
    const points = settled(all)
    const trend = trendOf(points)
    const values = points.map(([, value]) => value)
    // resident memory contains garbage, whose amount is a matter of the collector
    const verdict: Verdict | '' = name.includes('after GC')
      ? verdictOn(trend, MEMORY_LIMIT_MIB)
      : name.includes('resident')
        ? ''
        : levelVerdict(points)
    const numbers = [values[0], Math.min(...values), Math.max(...values), values.at(-1)].map((value = 0) =>
      value.toFixed(1),
    )
    const slope = `${(10 * trend.perMinute).toFixed(2)} ± ${(20 * trend.error).toFixed(2)}`
    return [name, ...numbers, slope, verdict]
  })
  const table = [['AFTER THE FIRST THIRD', 'FIRST', 'LEAST', 'MOST', 'LAST', 'PER 10 MIN', 'VERDICT'], ...rows]
  for (const line of aligned(table)) console.log(line)
  console.log(
    `changes: ${Object.entries(done)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}; missed: ${missed}`,
  )
  const verdicts = new Set(rows.map((row) => row.at(-1)))
  if (missed > 0 || verdicts.has('grows')) console.log('verdict: NOT flat')
  else console.log(verdicts.has('open') ? 'verdict: open, the run was too short' : 'verdict: flat')
  return missed === 0 && !verdicts.has('grows') && !verdicts.has('open')
}
