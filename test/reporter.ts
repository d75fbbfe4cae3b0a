/** The output of `npm test`: a line per subject, the failures in full, the time of each tier, and last the count. */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type MochaOptions, Runner, reporters, type Suite, type Test } from 'mocha'

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_SUITE_END, EVENT_TEST_FAIL, EVENT_TEST_PASS } = Runner.constants

/** The tier of a test by its folder. The first match counts. */
const TIERS = [
  ['test/integration/', 'on the real control plane'],
  ['test/load/', 'on the real control plane, alone'],
  ['test/clusters/', 'on control planes of their own'],
  ['test/installs/', 'on control planes of their own, the installation'],
  ['test/strategies/', 'on control planes of their own, strategies'],
  ['test/corpus/', 'on the real control plane, the corpus'],
  ['test/faults/', 'on the real control plane, faults'],
  ['test/sandbox/', 'processes of the sandbox'],
  ['test/', 'in memory'],
] as const

interface Tally {
  passed: number
  failed: number
  ms: number
}

class TierReporter extends reporters.Base {
  readonly #tiers = new Map<string, Tally>()
  #subject: Tally = { passed: 0, failed: 0, ms: 0 }
  #startedAt = 0
  readonly #results: object[] = []

  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options)
    runner.on(EVENT_SUITE_BEGIN, (suite) => this.#begin(suite))
    runner.on(EVENT_TEST_PASS, () => this.#subject.passed++)
    runner.on(EVENT_TEST_FAIL, () => this.#subject.failed++)
    runner.on(EVENT_SUITE_END, (suite) => this.#end(suite))
    runner.on(EVENT_RUN_END, () => this.#conclude())
    const file: string | undefined = options.reporterOptions?.results
    if (file !== undefined) this.#keepResults(runner, file)
  }

  /** Writes each test with its result, and each hook that failed, into a file for those who started this run. */
  #keepResults(runner: Runner, into: string): void {
    const keep = (test: Test, hasPassed: boolean) =>
      this.#results.push({ title: test.fullTitle(), file: relative(process.cwd(), test.file ?? ''), hasPassed })
    runner.on(EVENT_TEST_PASS, (test) => keep(test, true))
    runner.on(EVENT_TEST_FAIL, (test) => keep(test, false))
    runner.on(EVENT_RUN_END, () => writeFileSync(into, JSON.stringify(this.#results)))
  }

  #begin(suite: Suite): void {
    if (!isSubject(suite)) return
    this.#subject = { passed: 0, failed: 0, ms: 0 }
    this.#startedAt = performance.now()
  }

  #end(suite: Suite): void {
    if (!isSubject(suite)) return
    const { passed, failed } = this.#subject
    const ms = performance.now() - this.#startedAt
    console.log(`${failed > 0 ? '✘' : '✔'} ${suite.title} (${passed} passed, ${failed} failed, ${seconds(ms)})`)
    const tier = this.#tiers.get(tierOf(suite)) ?? { passed: 0, failed: 0, ms: 0 }
    this.#tiers.set(tierOf(suite), { passed: tier.passed + passed, failed: tier.failed + failed, ms: tier.ms + ms })
  }

  #conclude(): void {
    if (this.failures.length > 0) {
      console.log(`\n${FAILURES}`)
      reporters.Base.list(this.failures as Test[])
    }
    console.log('')
    for (const [tier, { passed, failed, ms }] of this.#tiers)
      console.log(`${tier}: ${passed} passed, ${failed} failed in ${seconds(ms)}`)
    console.log(`\n${this.stats.passes} passed, ${this.stats.failures} failed`)
  }
}

/** The failures in the output of a run, in full; undefined: there are none. */
export function failuresIn(said: string): string | undefined {
  const from = said.lastIndexOf(`\n${FAILURES}\n`)
  if (from < 0) return undefined
  const after = said.slice(from + FAILURES.length + 2)
  return after.slice(0, after.search(/^[a-z ,]+: \d+ passed, \d+ failed in /m)).trimEnd()
}

const FAILURES = 'These tests failed:'

const isSubject = (suite: Suite): boolean => suite.parent?.root === true

function tierOf({ file = '' }: Suite): string {
  const path = relative(process.cwd(), file)
  return TIERS.find(([folder]) => path.startsWith(folder))?.[1] ?? 'elsewhere'
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

// mocha requires a reporter as the default export
export default TierReporter
