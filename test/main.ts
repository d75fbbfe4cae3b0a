/**
 * `npm test [-- ARGUMENT …]`: builds what tests need, runs the tests that need processors concurrently with those that
 * wait for a cluster, and prints what was skipped, and the total last. It fails, too, if a role grants what no test
 * needed, and with `COVERAGE` if too few branches are covered. With `SUITES` it also runs those suites, by name, and
 * fails if a component grants what no test needed. `--times` prints what took how long. With other arguments, it runs
 * mocha with these.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compiledBefore } from '../sandbox/compiled-before.ts'
import { NEEDS, type Need } from '../sandbox/needs.ts'
import { prepare } from '../sandbox/prepare.ts'
import { USED_RIGHTS, unusedOfComponents, unusedRights, unusedRightsWithoutAnalyses } from './audited.ts'
import { inParallel } from './in-parallel.ts'
import { countsIn, FAILURES, failuresIn, listOfSkipped, skippedIn, summaryIn, TIMES_FOLDER } from './reporter.ts'
import { waitingRuns } from './suites.ts'
import { type Times, timesTable } from './times.ts'

const { resolve } = createRequire(import.meta.url)
const MOCHA = resolve('mocha/bin/mocha.js')
/** Measures what the tests in memory cover, which doubles the processor time that they need. CI does. */
const IS_COVERED = process.env.COVERAGE !== undefined
const C8 = join(dirname(resolve('c8/package.json')), 'bin/c8.js')
const ON_A_CONTROL_PLANE = 'analyses clusters corpus installs integration load sandbox strategies tools'
  .split(' ')
  .map((folder) => `test/${folder}/**/*.test.ts`)

/** The other suites that this run has, too. CI names all but those that take long or want the machine alone. */
const SUITES = process.env.SUITES?.split(' ') ?? []
/** What the tests below need. They would wait for what is missing here, before their own first test. */
const NEEDED: readonly Need[] =
  SUITES.length > 0 ? (Object.keys(NEEDS) as Need[]) : ['controlPlane', 'argoRollouts', 'argoFiles', 'kubernetesFiles']
/** How many runs of mocha that wait for clusters are beside each other. */
const LANES = 3

/** A run of mocha: what it has printed so far, how much of that is shown, and how it ended. */
interface Part {
  said: string
  shown: number
  code: number | undefined
}

/** The runs of this process that have begun. */
const parts: Part[] = []
/** How many will begin. */
let all = 0

/** Shows whole lines as they come, without the summary. */
function show(part: Part): void {
  const until = Math.min(part.said.lastIndexOf('\n') + 1, summaryIn(part.said))
  process.stdout.write(part.said.slice(part.shown, until))
  part.shown = Math.max(part.shown, until)
}

/** Shows the failures of a run, its total, and how many others are waited for. */
function showTotal({ said }: Part): void {
  const failures = failuresIn(said)
  if (failures !== undefined) console.log(`${FAILURES}\n${failures}\n`)
  const left = all - parts.filter(({ code }) => code !== undefined).length
  console.log(`${said.trimEnd().split('\n').at(-1)}; ${left === 1 ? '1 run is' : `${left} runs are`} left`)
}

/** Runs mocha. */
async function mocha(args: readonly string[], before: readonly string[] = []): Promise<Part> {
  const part: Part = { said: '', shown: 0, code: undefined }
  parts.push(part)
  const child = spawn(process.execPath, [...before, MOCHA, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(IS_COVERED ? {} : compiledBefore('node_modules/.cache')) },
  })
  child.stdout.setEncoding('utf8').on('data', (some: string) => {
    part.said += some
    show(part)
  })
  await once(child, 'close')
  part.code = child.exitCode ?? 1
  return part
}

/** The tests in memory: these need processors. */
function busy(): Promise<Part> {
  const ignored = ON_A_CONTROL_PLANE.flatMap((files) => ['--ignore', files])
  const args = ['--spec', 'test/**/*.test.ts', ...ignored, '--reporter-option', 'part=in memory']
  return mocha(args, IS_COVERED ? [C8, process.execPath] : [])
}

/** Whether the tests in memory have covered enough of the pure core, which is said if not. */
async function isCoreCovered(): Promise<boolean> {
  const args = [C8, 'check-coverage', '--branches', '95', '--include', 'common/**']
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  await once(child, 'close')
  return child.exitCode === 0
}

/** What takes how long, of the files in `folder`. */
const timesIn = (folder: string): readonly Times[] =>
  readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))

/** Runs everything. */
async function everything(isTimed: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'used-rights-'))
  const times = mkdtempSync(join(tmpdir(), 'times-'))
  process.env[USED_RIGHTS] = folder
  if (isTimed) process.env[TIMES_FOLDER] = times
  // before all tests, because on few processors those in memory would be as slow as a build beside them
  await prepare(NEEDED, (line) => console.log(line))
  const waiting = waitingRuns(SUITES)
  all = 1 + waiting.length
  await Promise.all([busy().then(showTotal), inParallel(LANES, waiting, (run) => mocha(run).then(showTotal))])
  const counts = parts.map(({ said }) => countsIn(said))
  const [passed, failed] = [0, 1].map((at) => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0))
  const unused =
    SUITES.length === 0 ? unusedRightsWithoutAnalyses(folder) : [...unusedRights(folder), ...unusedOfComponents(folder)]
  if (isTimed) console.log(`\n${timesTable(timesIn(times))}`)
  for (const each of [folder, times]) rmSync(each, { recursive: true })
  // again at the end, because a long log is read from there
  const failures = parts.flatMap(({ said }) => failuresIn(said) ?? [])
  if (failures.length > 0) console.log(['', FAILURES, ...failures].join('\n'))
  const skipped = parts.flatMap(({ said }) => skippedIn(said))
  if (skipped.length > 0) console.log(`\n${listOfSkipped(skipped)}`)
  if (unused.length > 0) console.log(`\nThese rights were granted, and no test needed them:\n${unused.join('\n')}`)
  const isCovered = !IS_COVERED || (await isCoreCovered())
  console.log(`\n${passed} passed, ${failed} failed`)
  if (!isCovered || unused.length > 0 || parts.some(({ code }) => code !== 0)) process.exitCode = 1
}

const args = process.argv.slice(2)
/** Without the name of a file, options such as `--grep` are about all of them. */
const namesFiles = args.some((arg) => arg.endsWith('.ts') || /^--(spec|config)\b/.test(arg))
if (args.length === 0 || args[0] === '--times') await everything(args.length > 0)
else {
  const of = namesFiles ? args : ['--spec', 'test/**/*.test.ts', ...args]
  const [code] = await once(spawn(process.execPath, [MOCHA, ...of], { stdio: 'inherit' }), 'close')
  process.exitCode = code ?? 1
}
