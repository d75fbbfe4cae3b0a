import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { inParallel } from '../in-parallel.ts'
import { type Bench, type Figure, median } from './figure.ts'
import { ALPHA, AT_THE_LIMIT, BETA, type Ending, HARMLESS, INTERVAL_SECONDS } from './verdict-stories.ts'
import { TABLE, type TableRow } from './verdict-table.ts'
import { boundOf, worldFigures } from './world-figures.ts'
import type { WorldEnding } from './world-play.ts'
import { WORLD_STORIES } from './world-stories.ts'

/** How many experiments of each story are simulated. `VERDICT_RUNS` sets another number. */
const RUNS = Number(process.env.VERDICT_RUNS ?? 1_000)
/** Only stories whose titles match are played. */
const STORIES = new RegExp(process.env.VERDICT_STORIES ?? '')
/** Played by a thread at a time, and how many threads there are. */
const [CHUNK, THREADS] = [50, Number(process.env.VERDICT_THREADS ?? availableParallelism())]
/** By how many percentage points a figure may differ from the expected one of the table. */
const TABLE_POINTS = 5

/** Plays `RUNS` experiments of a story on all processors. */
async function endings<T = Ending>(name: string, ends: 'Pass' | 'Fail' | 'either'): Promise<readonly T[]> {
  const found: T[] = []
  const chunks = Array.from({ length: Math.ceil(RUNS / CHUNK) }, (_, index) => index * CHUNK)
  await inParallel(THREADS, chunks, async (from) => {
    const workerData = { name, from: from + 1, to: Math.min(RUNS, from + CHUNK) + 1, ends }
    const worker = new Worker(new URL('./verdict-worker.ts', import.meta.url), { workerData })
    const [played] = await once(worker, 'message')
    found.push(...played)
  })
  return found
}

const percentOf = (all: readonly Ending[], verdict: Ending['verdict'], within = Number.POSITIVE_INFINITY): number =>
  (100 * all.filter((each) => each.verdict === verdict && each.window <= within).length) / all.length

/** How often a story ends with a wrong verdict, beside its bound. */
async function bounded(name: string, verdict: 'Pass' | 'Fail', part: number): Promise<Figure> {
  const value = percentOf(await endings(name, verdict), verdict)
  const atMost = boundOf(part, RUNS)
  return {
    name: `false ${verdict}: ${name}`,
    value,
    unit: '%',
    against: 100 * part,
    ratio: value / (100 * part),
    goal: `value <= ${atMost.toFixed(2)}`,
    holds: value <= atMost,
  }
}

type Told = Pick<Figure, 'name' | 'value' | 'unit'> & { readonly page: number }

/** A figure beside the expected one, which is no bound. */
const told = ({ page, ...figure }: Told): Figure => ({
  ...figure,
  against: page,
  ratio: figure.value / page,
  goal: 'told',
  holds: true,
})

function failsFigure(
  name: string,
  all: readonly Ending[],
  { within, page, goal }: NonNullable<TableRow['fails']>,
): Figure {
  const value = percentOf(all, 'Fail', within)
  const figure = told({ name: `${name}: Fail by ${within * INTERVAL_SECONDS} s`, value, unit: '%', page })
  if (goal === 'told') return figure
  return goal === 'near'
    ? { ...figure, goal: `±${TABLE_POINTS}`, holds: Math.abs(value - page) <= TABLE_POINTS }
    : { ...figure, goal: `value >= ${page - TABLE_POINTS}`, holds: value >= page - TABLE_POINTS }
}

/** The time until half of all experiments have the verdict; Infinity if fewer have it. */
const secondsUntil = (all: readonly Ending[], verdict: Ending['verdict']): number =>
  INTERVAL_SECONDS * median(all.map((each) => (each.verdict === verdict ? each.window : Number.POSITIVE_INFINITY)))

/** The figures of a row of the table, beside the expected ones. */
async function row(name: string, { fails, failSeconds, passSeconds }: TableRow): Promise<readonly Figure[]> {
  const all = await endings(name, 'either')
  const seconds = (verdict: 'Pass' | 'Fail', page: number) =>
    told({ name: `${name}: ${verdict}, median`, value: secondsUntil(all, verdict), unit: 's', page })
  return [
    ...(fails ? [failsFigure(name, all, fails)] : []),
    ...(failSeconds === undefined ? [] : [seconds('Fail', failSeconds)]),
    ...(passSeconds === undefined ? [] : [seconds('Pass', passSeconds)]),
  ]
}

/** How often an analysis is wrong, and what it finds, beside its bounds and the expected figures. */
export const verdicts: Bench = {
  name: 'verdicts',
  measures: `wrong verdicts of an analysis in ${RUNS} simulated experiments each, and what it finds`,
  async run(tell) {
    const figures: Figure[] = []
    const add = (...more: readonly Figure[]) => {
      for (const { name, value, unit, against, goal, holds } of more)
        tell(`${name}: ${value.toFixed(1)} ${unit}, against ${against} ${unit}; ${goal}${holds ? '' : ', BROKEN'}`)
      figures.push(...more)
    }
    const chosen = <T>(stories: Readonly<Record<string, T>>) =>
      Object.entries(stories).filter(([name]) => STORIES.test(name))
    for (const [name, story] of chosen(WORLD_STORIES))
      add(...worldFigures(name, story, await endings<WorldEnding>(name, 'either')))
    for (const [name] of chosen(HARMLESS)) add(await bounded(name, 'Fail', ALPHA))
    for (const [name] of chosen(AT_THE_LIMIT)) add(await bounded(name, 'Pass', BETA))
    for (const [name, of] of chosen(TABLE)) add(...(await row(name, of)))
    return figures
  },
}
