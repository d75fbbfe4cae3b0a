/**
 * `npm test [-- ARGUMENT …]`: builds what tests need, runs the tests that need processors concurrently with those that
 * wait for a cluster, and prints what was skipped, and the total last. It fails, too, if a role grants what no test
 * needed, and with `COVERAGE` if too few branches are covered. With `SUITES` it also runs those suites, by name, and
 * fails if a component grants what no test needed. With arguments, it runs mocha with these.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compiledBefore } from '../sandbox/compiled-before.ts'
import { NEEDS, type Need } from '../sandbox/needs.ts'
import { prepare } from '../sandbox/prepare.ts'
import { USED_RIGHTS, unusedOfComponents, unusedRights, unusedRightsWithoutAnalyses } from './audited.ts'
import { inParallel } from './in-parallel.ts'
import { countsIn, failuresIn, listOfSkipped, skippedIn } from './reporter.ts'
import { waitingRuns } from './suites.ts'

const { resolve } = createRequire(import.meta.url)
const MOCHA = resolve('mocha/bin/mocha.js')
/** Measures what the tests in memory cover, which doubles the processor time that they need. CI does. */
const IS_COVERED = process.env.COVERAGE !== undefined
const C8 = join(dirname(resolve('c8/package.json')), 'bin/c8.js')
const ON_A_CONTROL_PLANE = 'analyses clusters corpus installs integration load sandbox strategies'
  .split(' ')
  .map((folder) => `test/${folder}/**/*.test.ts`)

/** The other suites that this run has, too. CI names all but those that take long or want the machine alone. */
const SUITES = process.env.SUITES?.split(' ') ?? []
/** What the tests below need. They would wait for what is missing here, before their own first test. */
const NEEDED: readonly Need[] =
  SUITES.length > 0 ? (Object.keys(NEEDS) as Need[]) : ['controlPlane', 'argoRollouts', 'argoFiles', 'kubernetesFiles']
/** How many runs of mocha that wait for clusters are beside each other. */
const LANES = 3

/** A run of mocha: what it has printed so far, and how it ended. */
interface Part {
  said: string
  shown: number
  code: number | undefined
}

/** The runs of this process, in the order in which their output is shown. */
const parts: Part[] = []

/** Shows one run after the other, and always what the first one that has not ended does. */
function show(): void {
  for (const part of parts) {
    process.stdout.write(part.said.slice(part.shown))
    part.shown = part.said.length
    if (part.code === undefined) return
  }
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
    show()
  })
  await once(child, 'close')
  part.code = child.exitCode ?? 1
  show()
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

const args = process.argv.slice(2)
/** Without the name of a file, options such as `--grep` are about all of them. */
const namesFiles = args.some((arg) => arg.endsWith('.ts') || /^--(spec|config)\b/.test(arg))
if (args.length > 0)
  process.exitCode = (await mocha(namesFiles ? args : ['--spec', 'test/**/*.test.ts', ...args])).code ?? 1
else {
  const folder = mkdtempSync(join(tmpdir(), 'used-rights-'))
  process.env[USED_RIGHTS] = folder
  // before all tests, because on few processors those in memory would be as slow as a build beside them
  await prepare(NEEDED, (line) => console.log(line))
  await Promise.all([busy(), inParallel(LANES, waitingRuns(SUITES), (run) => mocha(run))])
  const counts = parts.map(({ said }) => countsIn(said))
  const [passed, failed] = [0, 1].map((at) => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0))
  const unused =
    SUITES.length === 0 ? unusedRightsWithoutAnalyses(folder) : [...unusedRights(folder), ...unusedOfComponents(folder)]
  rmSync(folder, { recursive: true })
  // again at the end, because a long log is read from there
  for (const failures of parts.flatMap(({ said }) => failuresIn(said) ?? [])) console.log(failures)
  const skipped = parts.flatMap(({ said }) => skippedIn(said))
  if (skipped.length > 0) console.log(`\n${listOfSkipped(skipped)}`)
  if (unused.length > 0) console.log(`\nThese rights were granted, and no test needed them:\n${unused.join('\n')}`)
  const isCovered = !IS_COVERED || (await isCoreCovered())
  console.log(`\n${passed} passed, ${failed} failed`)
  if (!isCovered || unused.length > 0 || parts.some(({ code }) => code !== 0)) process.exitCode = 1
}
