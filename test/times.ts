/** How long parts of a run take, by the clock and of a processor. */
import { readdirSync, readFileSync } from 'node:fs'
import { pid } from 'node:process'

/** What a file of tests took, with the processes that it started. */
export interface Times {
  readonly part: string
  readonly file: string
  readonly wallMs: number
  readonly processorMs: number
}

/** Linux counts in these. */
const MS_PER_TICK = 10
const MOST_FILES = 20

/**
 * The time of a processor that this process, those that it has started, and those that these have started took. Only a
 * process that is still there, or that its parent has waited for, counts. 0 where there is no `/proc`.
 */
export function processorMs(root = pid): number {
  const stats = new Map(processes().map((of) => [of.pid, of]))
  const isBelow = (of: Process | undefined): boolean =>
    of !== undefined && (of.pid === root || isBelow(stats.get(of.parent)))
  return [...stats.values()].filter(isBelow).reduce((sum, { ticks }) => sum + ticks * MS_PER_TICK, 0)
}

interface Process {
  readonly pid: number
  readonly parent: number
  readonly ticks: number
}

function processes(): readonly Process[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? processAt(name) : []))
  } catch {
    return [] // another system than Linux
  }
}

/** The fields after the name of the program, which may contain anything: state, parent, and from the 12th its times. */
function processAt(name: string): readonly Process[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    return [{ pid: Number(name), parent: Number(fields[1]), ticks }]
  } catch {
    return [] // it has ended
  }
}

/** A table of the parts, and one of the slowest files, for people. */
export function timesTable(all: readonly Times[]): string {
  const parts = Object.entries(Object.groupBy(all, ({ part }) => part.split('/')[0] ?? '')).map(([part, of = []]) => ({
    name: part,
    wallMs: sum(of, 'wallMs'),
    processorMs: sum(of, 'processorMs'),
  }))
  const files = all.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, MOST_FILES)
  const rows = [...parts.toSorted((a, b) => b.wallMs - a.wallMs), ...files.map((of) => ({ ...of, name: of.file }))]
  const line = ({ name, wallMs, processorMs: own }: (typeof rows)[number]) =>
    `${seconds(wallMs)} ${seconds(own)}  ${name}`
  return ['   by the clock  of a processor', ...rows.map(line)].join('\n')
}

const sum = (of: readonly Times[], what: 'wallMs' | 'processorMs'): number =>
  of.reduce((total, each) => total + each[what], 0)
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`.padStart(15)
