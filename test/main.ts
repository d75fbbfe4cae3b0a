/**
 * `npm test [-- ARGUMENT …]`: runs the tests that need processors concurrently with those that wait for a cluster, and
 * prints what was skipped, and the total last. It fails, too, if a role grants what no test needed, after other suites
 * with `USED_RIGHTS` if a component does, and with `COVERAGE` if too few branches are covered. With arguments, it runs
 * mocha with these.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compiledBefore } from '../sandbox/compiled-before.ts'
import { USED_RIGHTS, unusedOfComponents, unusedRights, unusedRightsWithoutAnalyses } from './audited.ts'
import { failuresIn, listOfSkipped, skippedIn } from './reporter.ts'

const { resolve } = createRequire(import.meta.url)
const MOCHA = resolve('mocha/bin/mocha.js')
/** Measures what the tests in memory cover, which doubles the processor time that they need. CI does. */
const IS_COVERED = process.env.COVERAGE !== undefined
const C8 = join(dirname(resolve('c8/package.json')), 'bin/c8.js')
const ON_A_CONTROL_PLANE = 'analyses clusters corpus installs integration load sandbox strategies'
  .split(' ')
  .map((folder) => `test/${folder}/**/*.test.ts`)

interface Ran {
  readonly code: number
  readonly said: string
}

/** Runs mocha. Its output is shown at once, or when it has ended. */
async function mocha(args: readonly string[], isShown: boolean, before: readonly string[] = []): Promise<Ran> {
  const child = spawn(process.execPath, [...before, MOCHA, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(IS_COVERED ? {} : compiledBefore('node_modules/.cache')) },
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (some: string) => {
    said += some
    if (isShown) process.stdout.write(some)
  })
  await once(child, 'close')
  if (!isShown) process.stdout.write(said)
  return { code: child.exitCode ?? 1, said }
}

/**
 * The counts in the last line that our reporter prints. @throws Error if that is missing, because the run was aborted
 */
function countsIn({ said }: Ran): readonly [passed: number, failed: number] {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(said.trimEnd().split('\n').at(-1) ?? '') ?? []
  if (passed === undefined || failed === undefined) throw new Error('a run of mocha ended without its count')
  return [Number(passed), Number(failed)]
}

/** The tests in memory: these need processors. */
function busy(): Promise<Ran> {
  const ignored = ON_A_CONTROL_PLANE.flatMap((files) => ['--ignore', files])
  return mocha(['--spec', 'test/**/*.test.ts', ...ignored], false, IS_COVERED ? [C8, process.execPath] : [])
}

/** Whether the tests in memory have covered enough of the pure core, which is said if not. */
async function isCoreCovered(): Promise<boolean> {
  const args = [C8, 'check-coverage', '--branches', '95', '--include', 'common/**']
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  await once(child, 'close')
  return child.exitCode === 0
}

/** A third of the tests that mostly wait for a cluster. */
const patient = (third: 'first' | 'second' | 'third', isShown = false): Promise<Ran> =>
  mocha(['--config', `test/integration/.mocharc.${third}.json`], isShown)

const args = process.argv.slice(2)
if (args.length > 0) process.exitCode = (await mocha(args, true)).code
else {
  const ofSuites = process.env[USED_RIGHTS] // other suites have run before, and left there what they used
  const folder = ofSuites ?? mkdtempSync(join(tmpdir(), 'used-rights-'))
  process.env[USED_RIGHTS] = folder
  const runs = await Promise.all([busy(), patient('first'), patient('second', true), patient('third')])
  const counts = runs.map(countsIn)
  const [passed, failed] = [0, 1].map((at) => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0))
  const unused =
    ofSuites === undefined
      ? unusedRightsWithoutAnalyses(folder)
      : [...unusedRights(folder), ...unusedOfComponents(folder)]
  if (ofSuites === undefined) rmSync(folder, { recursive: true })
  // again at the end, because a long log is read from there
  for (const failures of runs.flatMap(({ said }) => failuresIn(said) ?? [])) console.log(failures)
  const skipped = runs.flatMap(({ said }) => skippedIn(said))
  if (skipped.length > 0) console.log(`\n${listOfSkipped(skipped)}`)
  if (unused.length > 0) console.log(`\nThese rights were granted, and no test needed them:\n${unused.join('\n')}`)
  const isCovered = !IS_COVERED || (await isCoreCovered())
  console.log(`\n${passed} passed, ${failed} failed`)
  if (!isCovered || unused.length > 0 || runs.some(({ code }) => code !== 0)) process.exitCode = 1
}
