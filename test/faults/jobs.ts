/** What `npm run test:faults` runs, and what the results tell of each row of faults. */
import type { Ended } from '../reporter.ts'

/** A run of mocha, with a control plane of its own. */
export interface Job {
  readonly files: readonly string[]
  /** only tests whose title matches; default: all */
  readonly grep?: string
  /** how often each test is run */
  readonly times: number
  readonly runs: Runs
}

/**
 * What may run beside a job. `alone`: nothing, because it fails if a program gets no processor in time. `busy`: as many
 * of this sort as there are lanes, or one more when none waits. `waiting`: any job but one that runs alone, because it
 * needs little processor time.
 */
export type Runs = 'alone' | 'busy' | 'waiting'

type Chosen = Pick<Job, 'files' | 'grep'>

/** A test that has ended. */
export interface Result {
  /** with those of the suites around it */
  readonly title: string
  readonly file: string
  readonly is: Ended
}

interface Asked {
  /** rows such as `F5`, and files; empty: everything */
  readonly wanted: readonly string[]
  readonly times: number
  /** the texts of all files with tests on faults, by name */
  readonly sources: Readonly<Record<string, string>>
}

const ROW = /\bF\d+\b/
/** These take half of the time of all. */
const LONGEST = /-points\.|sequences/
/** These take the longest of the others. Begun last, they would leave processors unused in the end. */
const LONG = /^test\/integration\/|\/(canary-quiet|canary-traffic|promotion-matrix|removals|restart|swarm)\.faults/
/** These mostly wait: for the end of a fault, for backoffs, or for proof that nothing is written. */
const WAITING_FILES = [
  ...['absent-kinds', 'analysis-quiet', 'api-server', 'clock', 'exits', 'outage', 'rollout', 'serving'],
  ...['slow-webhook', 'stale', 'stop', 'watches', 'writes'],
]
const WAITING = new RegExp(`/(${WAITING_FILES.join('|')})\\.faults`)
/** These say how long something takes at most, or need all processors: two hundred reviews at once. */
const TIMED = /^test\/load\/|blue-green-traffic|reviews/

/** These run each of their tests as often as `TIMES` says. */
const REPEATS = /from '\.\/(side-by-side|crash\/declare)\.ts'/

const isOfFaults = (file: string): boolean => file.startsWith('test/faults/')
const isOfLoad = (file: string): boolean => file.startsWith('test/load/')
/** By a title, or by the row that is given to the scenarios of a file. */
const describes = (source: string, row: string): boolean => new RegExp(`\\b${row}[:,']`).test(source)

/**
 * The jobs, of those that may run side by side the longest first. @throws Error that names what is wanted and not there
 */
export function jobsOf({ wanted, times, sources }: Asked): readonly Job[] {
  const files = Object.keys(sources)
  const chosen = wanted.length === 0 ? everything(files) : [...ofRows(wanted, files, sources), ...ofFiles(wanted)]
  return chosen.toSorted(byLength).flatMap((of) => {
    const most = Math.min(times, ...of.files.map((file) => mostTimes(file, sources[file] ?? '')))
    const job = { ...of, runs: runsOf(of) }
    return Array.from({ length: Math.ceil(times / most) }, (_, index) => ({
      ...job,
      times: Math.min(most, times - index * most),
    }))
  })
}

/** Those that take longest first. */
const byLength = (one: Chosen, other: Chosen): number => orderOf(one) - orderOf(other)

const orderOf = ({ files: [file = ''] }: Chosen): number => (LONGEST.test(file) ? 0 : LONG.test(file) ? 1 : 2)

/**
 * How often one job runs a file: files that repeat their tests themselves do so many at once. Crash points leave
 * thousands of objects in their control plane, so after five times another one is faster.
 */
function mostTimes(file: string, source: string): number {
  if (!REPEATS.test(source)) return 1
  return LONGEST.test(file) ? 5 : Number.POSITIVE_INFINITY
}

function runsOf({ files }: Chosen): Runs {
  if (files.some((file) => TIMED.test(file))) return 'alone'
  return files.every((file) => WAITING.test(file)) ? 'waiting' : 'busy'
}

/** All faults. Of the files with other tests, which `npm test` runs, only the rows. */
function everything(files: readonly string[]): readonly Chosen[] {
  const others = files.filter((file) => !isOfFaults(file))
  const [underLoad, patient] = [others.filter(isOfLoad), others.filter((file) => !isOfLoad(file))]
  return [
    ...files.filter(isOfFaults).map((file) => ({ files: [file] })),
    ...[patient, underLoad].filter(({ length }) => length > 0).map((of) => ({ files: of, grep: ROW.source })),
  ]
}

function ofRows(wanted: readonly string[], files: readonly string[], sources: Asked['sources']): readonly Chosen[] {
  const rows = wanted.filter((each) => ROW.test(each))
  const missing = rows.filter((row) => !files.some((file) => describes(sources[file] ?? '', row)))
  if (missing.length > 0) throw new Error(`no test is about ${missing.join(', ')}`)
  return files
    .map((file) => ({ file, found: rows.filter((row) => describes(sources[file] ?? '', row)) }))
    .filter(({ found }) => found.length > 0)
    .map(({ file, found }) => ({ files: [file], grep: `\\b(${found.join('|')})\\b` }))
}

const ofFiles = (wanted: readonly string[]): readonly Chosen[] =>
  wanted.filter((each) => !ROW.test(each)).map((file) => ({ files: [file] }))

/** How often a row or a file was run, how often all its tests passed, and how many of them were skipped. */
export interface Tally {
  readonly name: string
  /** those in which all its tests were skipped are not counted */
  readonly runs: number
  readonly passed: number
  readonly skipped: number
}

/** The rows in their order, then the files. `jobs` has the results of each job. */
export function talliesOf(jobs: readonly (readonly Result[])[]): readonly Tally[] {
  const namesOf = ({ title, file }: Result) =>
    new Set([...title.matchAll(/\bF\d+\b/g)].map(([row]) => row).concat(file))
  const tallies = new Map<string, Omit<Tally, 'name'>>()
  for (const run of jobs.flatMap(runsIn))
    for (const name of new Set(run.flatMap((result) => [...namesOf(result)]))) {
      const own = run.filter((result) => namesOf(result).has(name))
      const ran = own.filter(({ is }) => is !== 'skipped')
      const tally = tallies.get(name) ?? { runs: 0, passed: 0, skipped: 0 }
      tallies.set(name, {
        runs: tally.runs + Number(ran.length > 0),
        passed: tally.passed + Number(ran.length > 0 && ran.every(({ is }) => is === 'passed')),
        skipped: tally.skipped + own.length - ran.length,
      })
    }
  const order = (name: string) => (/^F\d+$/.test(name) ? Number(name.slice(1)) : Number.POSITIVE_INFINITY)
  const byOrder = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) =>
    order(a) === order(b) ? a.localeCompare(b) : order(a) - order(b)
  return [...tallies].toSorted(byOrder).map(([name, tally]) => ({ name, ...tally }))
}

/** A tally as a line: a row of which every test was skipped is told, not left out. */
export function tallyLine({ name, runs, passed, skipped }: Tally): string {
  if (runs === 0) return `${name}: skipped`
  return `${name}: ${passed} of ${runs}${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The runs in one job: a title that occurs again belongs to the next run. */
function runsIn(results: readonly Result[]): readonly (readonly Result[])[] {
  const counts = new Map<string, number>()
  const runs: Result[][] = []
  for (const result of results) {
    const index = counts.get(result.title) ?? 0
    counts.set(result.title, index + 1)
    runs[index] = [...(runs[index] ?? []), result]
  }
  return runs
}
