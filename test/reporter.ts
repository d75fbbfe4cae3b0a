/**
 * The output of `npm test`: a line per subject, the failures in full, the time of each tier, what was skipped, and last
 * the count. The option `part` names the part of a longer run that this is, and is said with the count. When a subject
 * lasts longer than a minute, a line on standard error says each minute what runs.
 */
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pid } from 'node:process'
import { type MochaOptions, type Runnable, Runner, reporters, type Suite, type Test } from 'mocha'
import { processorMs, type Times } from './times.ts'

const { EVENT_HOOK_BEGIN, EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_SUITE_END } = Runner.constants
const { EVENT_TEST_BEGIN, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Runner.constants

/** The variable with the folder in which the processes of a run leave what took how long. */
export const TIMES_FOLDER = 'TIMES_FOLDER'

/** A minute. Whoever reads a terminal that is silent for longer thinks that it hangs. */
const SILENCE_MS = 60_000

/** The tier of a test by its folder. The first match counts. */
const TIERS = [
  ['test/integration/', 'on the real control plane'],
  ['test/load/', 'on the real control plane, alone'],
  ['test/clusters/', 'on control planes of their own'],
  ['test/versions/', 'on a control plane of its own, two versions'],
  ['test/analyses/', 'on control planes of their own, analyses'],
  ['test/installs/', 'on control planes of their own, the installation'],
  ['test/strategies/', 'on control planes of their own, strategies'],
  ['test/corpus/', 'on the real control plane, the corpus'],
  ['test/faults/', 'on the real control plane, faults'],
  ['test/sandbox/', 'processes of the sandbox'],
  ['test/', 'in memory'],
] as const

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

interface Tally extends Counts {
  readonly ms: number
}

/** How a test ended, in the file of results. */
export type Ended = 'passed' | 'failed' | 'skipped'

const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0 }

class TierReporter extends reporters.Base {
  readonly #tiers = new Map<string, Tally>()
  #subject = NOTHING
  #startedAt = 0
  readonly #skipped: string[] = []
  readonly #results: object[] = []
  readonly #part: string | undefined
  readonly #timesFolder = process.env[TIMES_FOLDER]
  readonly #times: Times[] = []
  #processorMs = 0

  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options)
    this.#part = options.reporterOptions?.part
    runner.on(EVENT_SUITE_BEGIN, (suite) => this.#begin(suite))
    runner.on(EVENT_TEST_PASS, () => this.#count('passed'))
    runner.on(EVENT_TEST_FAIL, () => this.#count('failed'))
    runner.on(EVENT_TEST_PENDING, (test) => {
      this.#count('skipped')
      this.#skipped.push(test.fullTitle())
    })
    runner.on(EVENT_SUITE_END, (suite) => this.#end(suite))
    runner.on(EVENT_RUN_END, () => this.#conclude())
    const silence = this.#sayIfSilent(runner)
    runner.on(EVENT_SUITE_END, (suite) => isSubject(suite) && silence.ends())
    const file: string | undefined = options.reporterOptions?.results
    if (file !== undefined) this.#keepResults(runner, file)
  }

  /** Writes each test with its result, and each hook that failed, into a file for those who started this run. */
  #keepResults(runner: Runner, into: string): void {
    const keep = (test: Test, is: Ended) =>
      this.#results.push({ title: test.fullTitle(), file: relative(process.cwd(), test.file ?? ''), is })
    runner.on(EVENT_TEST_PASS, (test) => keep(test, 'passed'))
    runner.on(EVENT_TEST_FAIL, (test) => keep(test, 'failed'))
    runner.on(EVENT_TEST_PENDING, (test) => keep(test, 'skipped'))
    runner.on(EVENT_RUN_END, () => writeFileSync(into, JSON.stringify(this.#results)))
  }

  /** Says each minute what runs, on standard error, because standard output may be kept until later. */
  #sayIfSilent(runner: Runner): { readonly ends: () => void } {
    let [running, minutes] = ['', 0]
    for (const event of [EVENT_TEST_BEGIN, EVENT_HOOK_BEGIN] as const)
      runner.on(event, (one: Runnable) => {
        running = one.fullTitle()
      })
    const say = () => console.error(`${this.#inPart}still at “${running}”, for ${++minutes} min`)
    let timer = setInterval(say, SILENCE_MS).unref() // a run that has failed without an end must not wait for it
    runner.on(EVENT_RUN_END, () => clearInterval(timer))
    return {
      ends: () => {
        clearInterval(timer)
        timer = setInterval(say, SILENCE_MS).unref()
        minutes = 0
      },
    }
  }

  /** Begins a line that would not be understood beside other parts. */
  get #inPart(): string {
    return this.#part === undefined ? '' : `${this.#part}: `
  }

  #count(is: Ended): void {
    this.#subject = { ...this.#subject, [is]: this.#subject[is] + 1 }
  }

  #begin(suite: Suite): void {
    if (!isSubject(suite)) return
    this.#subject = NOTHING
    this.#startedAt = performance.now()
    if (this.#timesFolder !== undefined) this.#processorMs = processorMs()
  }

  #end(suite: Suite): void {
    if (!isSubject(suite)) return
    const subject = this.#subject
    const ms = performance.now() - this.#startedAt
    console.log(`${signOf(subject)} ${suite.title} (${counted(subject)}, ${seconds(ms)})`)
    this.#keepTimes(suite, ms)
    const tier = this.#tiers.get(tierOf(suite)) ?? { ...NOTHING, ms: 0 }
    this.#tiers.set(tierOf(suite), {
      passed: tier.passed + subject.passed,
      failed: tier.failed + subject.failed,
      skipped: tier.skipped + subject.skipped,
      ms: tier.ms + ms,
    })
  }

  #keepTimes({ file = '' }: Suite, wallMs: number): void {
    if (this.#timesFolder === undefined) return
    const took = { wallMs, processorMs: processorMs() - this.#processorMs }
    this.#times.push({ part: this.#part ?? '', file: relative(process.cwd(), file), ...took })
  }

  #conclude(): void {
    if (this.#timesFolder !== undefined)
      writeFileSync(join(this.#timesFolder, `${pid}.json`), JSON.stringify(this.#times))
    if (this.failures.length > 0) {
      console.log(`\n${FAILURES}`)
      reporters.Base.list(this.failures as Test[])
    }
    console.log('')
    for (const [tier, tally] of this.#tiers) console.log(`${tier}: ${counted(tally)} in ${seconds(tally.ms)}`)
    if (this.#skipped.length > 0) console.log(`\n${listOfSkipped(this.#skipped)}`)
    console.log(`\n${this.#inPart}${this.stats.passes} passed, ${this.stats.failures} failed`)
  }
}

/** Where the summary at the end of a run begins, of which the failures come first; where its output ends without. */
export function summaryIn(said: string): number {
  const from = said.search(SUMMARY)
  return from < 0 ? said.length : from
}

/** The failures in the output of a run, in full; undefined: there are none. */
export function failuresIn(said: string): string | undefined {
  const from = said.lastIndexOf(`\n${FAILURES}\n`)
  if (from < 0) return undefined
  const after = said.slice(from + FAILURES.length + 2)
  return after.slice(0, after.search(TALLY)).trimEnd()
}

/** The line before the failures. */
export const FAILURES = 'These tests failed:'
/** The total of a tier, which follows the failures. */
const TALLY = /^[a-z ,]+: \d+ passed, \d+ failed(?:, \d+ skipped)? in /m
const SUMMARY = new RegExp(`^${FAILURES}|${TALLY.source}`, 'm')

/** How many tests were skipped, and their titles, each in a line. A skipped test proves nothing, so it is told. */
export const listOfSkipped = (titles: readonly string[]): string =>
  [`${titles.length} skipped:`, ...titles.map((title) => `  ${title}`)].join('\n')

/** The counts of passed and failed tests, which end the output of a run. @throws Error if it was aborted before */
export function countsIn(said: string): readonly [passed: number, failed: number] {
  const last = said.trimEnd().split('\n').at(-1) ?? ''
  const [, passed, failed] = /^(?:.+: )?(\d+) passed, (\d+) failed$/.exec(last) ?? []
  if (passed === undefined || failed === undefined) throw new Error('a run of mocha ended without its count')
  return [Number(passed), Number(failed)]
}

/** The titles of the skipped tests in the output of a run. */
export function skippedIn(said: string): readonly string[] {
  const [, list = ''] = /^\d+ skipped:\n((?: {2}.*\n)+)\n(?:.+: )?\d+ passed, \d+ failed\n*$/m.exec(said) ?? []
  return list.split('\n').flatMap((line) => line.trim() || [])
}

const counted = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

function signOf({ passed, failed, skipped }: Counts): string {
  if (failed > 0) return '✘'
  return passed === 0 && skipped > 0 ? '–' : '✔'
}

const isSubject = (suite: Suite): boolean => suite.parent?.root === true

function tierOf({ file = '' }: Suite): string {
  const path = relative(process.cwd(), file)
  return TIERS.find(([folder]) => path.startsWith(folder))?.[1] ?? 'elsewhere'
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

// mocha requires a reporter as the default export
export default TierReporter
