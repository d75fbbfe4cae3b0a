/**
 * `npm run test:faults [-- [--times N] [--lanes N] [ROW | FILE …]]`: the tests on faults, or some of them repeatedly.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundledOnce } from '../../sandbox/bundles.ts'
import { commandLine } from '../../sandbox/command-line.ts'
import { compiledBefore } from '../../sandbox/compiled-before.ts'
import { patiently } from '../../sandbox/patiently.ts'
import { prepare } from '../../sandbox/prepare.ts'
import { listOfSkipped } from '../reporter.ts'
import { type Job, jobsOf, type Result, type Runs, talliesOf, tallyLine } from './jobs.ts'

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js')
const CONFIG = join(import.meta.dirname, '.mocharc.json')
const SOURCES = ['test/faults/*.faults.ts', 'test/integration/*.test.ts', 'test/load/*.test.ts']

const USAGE = `npm run test:faults [-- [--times N] [--lanes N] [ROW | FILE …]]

Runs all tests on faults once, or those of some rows (such as F5) or files N times. Each file has a control plane of its
own. Two run at once, or as many as --lanes says, and beside them one of those that mostly wait, or when these have
ended another one. Prints how often each row and file was run, and how often it passed, or that it was skipped.

  --help`

const { values, positionals, refuse } = commandLine(USAGE, {
  options: { times: { type: 'string', default: '1' }, lanes: { type: 'string', default: '2' } },
  allowPositionals: true,
})
const [howOften, lanes] = [Number(values.times), Number(values.lanes)]
for (const number of [howOften, lanes])
  if (!Number.isSafeInteger(number) || number < 1) refuse(`--times and --lanes are numbers from 1`)

/** The texts of the files with rows. */
function sources(): Readonly<Record<string, string>> {
  const files = globSync(SOURCES).toSorted()
  const texts = files.map((file) => [file, readFileSync(file, 'utf8')] as const)
  return Object.fromEntries(texts.filter(([file, text]) => file.endsWith('.faults.ts') || /\bF\d+[:,]/.test(text)))
}

/** Aborted when the run is interrupted: then no other file begins. */
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())

const say = (line: string): void => console.log(line)
await prepare(['controlPlane', 'argoRollouts', 'argoFiles', 'kubernetesFiles'], say)
const results = mkdtempSync(join(tmpdir(), 'faults-'))
const startedAt = performance.now()
const bundles = await bundledOnce(join(results, 'bundles'))
const minutes = () => `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`

/** Runs mocha, and prints what it said when it has ended. Returns undefined if it was aborted. */
async function ran({ files, grep, times }: Job, index: number): Promise<readonly Result[] | undefined> {
  const file = join(results, `${index}.json`)
  const only = grep === undefined ? [] : ['--grep', grep]
  const part = `${files.join(' ')}${grep ? ` (${grep})` : ''}`
  const reporter = [`results=${file}`, `part=${part}`].flatMap((option) => ['--reporter-option', option])
  const args = ['--config', CONFIG, ...reporter, ...only, ...files]
  const child = spawn(process.execPath, [MOCHA, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...bundles, ...compiledBefore('node_modules/.cache'), TIMES: `${times}`, WANTED: grep },
  })
  const stop = () => child.kill() // mocha stops the control plane of its file
  stopping.signal.addEventListener('abort', stop)
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (some: Buffer) => said.push(some))
  await patiently(`at ${part}`, say, once(child, 'close'))
  stopping.signal.removeEventListener('abort', stop)
  console.log(`\n── ${minutes()}: ${part}\n${Buffer.concat(said)}`)
  if (child.exitCode !== 0) process.exitCode = 1
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    console.log('this run of mocha was aborted')
    process.exitCode = 1
    return undefined
  }
}

function asked(all: Readonly<Record<string, string>>): readonly Job[] {
  try {
    return jobsOf({ wanted: positionals, times: howOften, sources: all })
  } catch (error) {
    return refuse((error as Error).message)
  }
}

const outcomes: (readonly Result[])[] = []
const jobs = [...asked(sources()).entries()]
const queueOf = (runs: Runs) => jobs.filter(([, job]) => job.runs === runs).values()
const queues: Readonly<Record<Runs, ReturnType<typeof queueOf>>> = {
  busy: queueOf('busy'),
  waiting: queueOf('waiting'),
  alone: queueOf('alone'),
}

/** Takes jobs from the queues of `order`, which lanes share, one after the other. */
async function lane(...order: readonly Runs[]): Promise<void> {
  for (const runs of order)
    for (const [index, job] of queues[runs]) {
      if (stopping.signal.aborted) return
      const found = await ran(job, index)
      if (found) outcomes.push(found)
    }
}

await Promise.all([...Array.from({ length: lanes }, () => lane('busy', 'waiting')), lane('waiting', 'busy')])
await lane('alone')
rmSync(results, { recursive: true })
console.log('\nROW OR FILE: passed of runs')
for (const tally of talliesOf(outcomes)) console.log(tallyLine(tally))
const all = outcomes.flat()
const skipped = all.filter(({ is }) => is === 'skipped')
if (skipped.length > 0) console.log(`\n${listOfSkipped(skipped.map(({ title }) => title))}`)
const [passed, failed] = (['passed', 'failed'] as const).map((ended) => all.filter(({ is }) => is === ended).length)
console.log(`\n${passed} passed, ${failed} failed in ${minutes()}`)
