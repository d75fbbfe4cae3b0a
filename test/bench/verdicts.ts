import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { inParallel } from '../in-parallel.ts'
import type { Bench, Figure } from './figure.ts'
import { ALPHA, AT_THE_LIMIT, BETA, type Ending, HARMFUL, HARMLESS } from './verdict-stories.ts'

/** Of each story. `VERDICT_RUNS` takes others. */
const RUNS = Number(process.env.VERDICT_RUNS ?? 2_000)
/** Played by a thread at a time. */
const CHUNK = 100
/** A figure of the table differs from that of the specification by so many points at most. */
const TABLE_POINTS = 5

/** Plays `runs` experiments of a story on all processors. */
async function endings(name: string, ends: 'Pass' | 'Fail' | 'either', runs: number): Promise<readonly Ending[]> {
  const found: Ending[] = []
  const chunks = Array.from({ length: Math.ceil(runs / CHUNK) }, (_, index) => index * CHUNK)
  await inParallel(availableParallelism(), chunks, async (from) => {
    const workerData = { name, from: from + 1, to: Math.min(runs, from + CHUNK) + 1, ends }
    const worker = new Worker(new URL('./verdict-worker.ts', import.meta.url), { workerData })
    const [played] = await once(worker, 'message')
    found.push(...played)
  })
  return found
}

const percentOf = (all: readonly Ending[], verdict: Ending['verdict']): number =>
  (100 * all.filter((each) => each.verdict === verdict).length) / all.length

/** A part of wrong verdicts may exceed its bound by three standard errors. */
const boundOf = (part: number): number => 100 * (part + 3 * Math.sqrt((part * (1 - part)) / RUNS))

/** How often an analysis is wrong, and what it finds, beside its bounds and the figures of its specification. */
export const verdicts: Bench = {
  name: 'verdicts',
  measures: `wrong verdicts of an analysis in ${RUNS} simulated experiments each, and what it finds`,
  async run(tell) {
    const figures: Figure[] = []
    const bounded = async (name: string, verdict: 'Pass' | 'Fail', part: number) => {
      const value = percentOf(await endings(name, verdict, RUNS), verdict)
      const atMost = boundOf(part)
      tell(`${name}: ${verdict} ${value.toFixed(2)} %, at most ${atMost.toFixed(2)} %`)
      const goal = `value <= ${atMost.toFixed(2)}`
      figures.push({
        name: `false ${verdict}: ${name}`,
        value,
        unit: '%',
        against: 100 * part,
        ratio: value / (100 * part),
        goal,
        holds: value <= atMost,
      })
    }
    for (const name of Object.keys(HARMLESS)) await bounded(name, 'Fail', ALPHA)
    for (const name of Object.keys(AT_THE_LIMIT)) await bounded(name, 'Pass', BETA)
    for (const [name, { page }] of Object.entries(HARMFUL)) {
      // the rule of Gated Deployments looks once
      const value = percentOf(await endings(name, 'either', RUNS), 'Fail')
      tell(`${name}: Fail ${value.toFixed(1)} % within 570 s; the specification has ${page} %`)
      const holds = Math.abs(value - page) <= TABLE_POINTS
      figures.push({
        name: `found: ${name}`,
        value,
        unit: '%',
        against: page,
        ratio: value / page,
        goal: `±${TABLE_POINTS}`,
        holds,
      })
    }
    return figures
  },
}
