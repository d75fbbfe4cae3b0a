import { execPath } from 'node:process'
import { median } from './figure.ts'
import type { Load, Loaded } from './webhook-load.ts'
import { printed, program } from './webhook-program.ts'
import type { Pin, Side } from './webhook-side.ts'

const ROUNDS = 5
const CONNECTIONS = 16
const FIRST = { warmMs: 4_000, measuredMs: 1_000 }
const ROUND = { warmMs: 500, measuredMs: 4_000 }

/** A server that is measured. */
export interface Runner {
  readonly name: string
  readonly side: Side
  /** of a pair of calls */
  readonly paths: readonly string[]
}

/** The result of a server in one round. */
interface Round extends Pick<Loaded, 'pairsPerSecond' | 'p99Ms'> {
  /** processor time of one pair of calls: other load on the machine hardly changes it */
  readonly cpuMsPerPair: number
}

/** Medians of all rounds, and the memory after the last. */
export interface Result extends Round {
  readonly residentBytes: number
}

/**
 * Loads `runners` in turn, so that other load on the machine affects all of them. Returns their results in that order.
 */
export async function race(pin: Pin, tell: (line: string) => void, runners: readonly Runner[]): Promise<Result[]> {
  for (const runner of runners) await roundOf(pin, runner, FIRST)
  const rounds = runners.map((): Round[] => [])
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const [index, runner] of runners.entries()) {
      const of = await roundOf(pin, runner, ROUND)
      rounds[index]?.push(of)
      tell(`round ${round}, ${runner.name}: ${inWords(of)}`)
    }
  return Promise.all(runners.map(({ side }, index) => resultOf(side, rounds[index] ?? [])))
}

const resultOf = async (side: Side, rounds: readonly Round[]): Promise<Result> => ({
  pairsPerSecond: median(rounds.map(({ pairsPerSecond }) => pairsPerSecond)),
  p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  cpuMsPerPair: median(rounds.map(({ cpuMsPerPair }) => cpuMsPerPair)),
  residentBytes: await side.ask('memory'),
})

const inWords = ({ pairsPerSecond, p99Ms, cpuMsPerPair }: Round): string =>
  `${pairsPerSecond.toFixed(0)} pairs/s, p99 ${p99Ms.toFixed(2)} ms, ${cpuMsPerPair.toFixed(2)} ms of CPU a pair`

async function roundOf(pin: Pin, { side, paths }: Runner, times: Pick<Load, 'warmMs' | 'measuredMs'>): Promise<Round> {
  const load: Load = { port: side.port, paths, connections: CONNECTIONS, ...times }
  const before = await side.ask('cpu')
  const loaded = await printed<Loaded>(pin('load', [execPath, program('webhook-load'), JSON.stringify(load)]))
  const cpuMsPerPair = ((await side.ask('cpu')) - before) / 1_000 / loaded.pairs
  return { ...loaded, cpuMsPerPair }
}
