/** The tests of scenarios in which a controller is killed at each of its writes. */
import { expect } from 'chai'
import { ownWrites } from '../../../sandbox/proof.ts'
import { controlPlane } from '../../integration/fixture.ts'
import { DEADLINE_MS, installation } from '../../integration/product.ts'
import { TIMES } from '../side-by-side.ts'
import { mayLeadAnywhere, POSITIONS } from './actor.ts'
import { crashesOf, ofTime, tableOf } from './batch.ts'
import { auditProblems, type History, startHistory } from './oracles.ts'
import type { Runner, Verdict } from './run.ts'
import type { Scenario } from './scenarios.ts'

/**
 * What is wrong with those of `verdicts` that are chosen. @throws AssertionError if the controller was killed at none
 */
export function failuresOf(verdicts: readonly Verdict[], isChosen: (verdict: Verdict) => boolean): readonly string[] {
  const chosen = verdicts.filter(isChosen)
  expect(
    chosen.filter(({ isReached }) => isReached),
    'a crash',
  ).not.to.deep.equal([])
  return chosen.flatMap(({ request, position, problems }) =>
    problems.map((problem) => `${request}, ${position}: ${problem}`),
  )
}

/**
 * In a `describe`, after `usesProduct`: the controller of the run does not lead meanwhile. Returns a function that
 * returns the history of all forks.
 */
export function usesHistory(): () => History {
  let history: History | undefined
  before('the controller of the run does not lead', async () => {
    await (await installation()).controller().stop('SIGTERM', DEADLINE_MS)
    await mayLeadAnywhere()
    history = await startHistory()
  })
  after('the controller of the run leads again', async () => {
    await history?.stop()
    await (await installation()).startController()
  })
  return () => {
    if (!history) throw new Error('the history has started')
    return history
  }
}

/** What the tests of a scenario are about. */
export interface ToBeKilled {
  /** with which the titles begin */
  readonly row: string
  readonly scenario: Scenario
  readonly runner: Runner
  readonly history: () => History
  /** more tests on its verdicts, which are there when the tests run */
  readonly more?: (verdicts: () => readonly Verdict[]) => void
}

/**
 * Declares the tests of a scenario. If tests are repeated, their runs are made together, so that some wait while others
 * work. Returns the verdicts, which are there when the tests have run.
 */
export function killedAnywhere({ row, scenario, runner, history, more }: ToBeKilled): readonly Verdict[] {
  const verdicts: Verdict[] = []
  describe(scenario.name, function () {
    this.timeout(this.timeout() * TIMES)
    const begun = new Date()
    before('all crash points', async () => {
      begun.setTime(Date.now())
      verdicts.push(...(await crashesOf(scenario, history(), runner)))
    })
    after('the table', () => console.log(tableOf(verdicts)))

    for (let time = 0; time < TIMES; time += 1) {
      const own = () => ofTime(verdicts, time)
      more?.(own)
      for (const position of POSITIONS)
        it(`${row}: ${scenario.name}: at each write, ${position}: it ends as if nothing had happened`, () =>
          expect(failuresOf(own(), (of) => of.position === position)).to.deep.equal([]))
    }

    it(`${row}: ${scenario.name}: the audit log has only allowed writes, and none in the quiet time`, async () => {
      const { auditLog } = await controlPlane()
      expect((await ownWrites(auditLog, begun)).forbidden).to.deep.equal([])
      expect(await auditProblems(verdicts.flatMap(({ silence }) => silence ?? []))).to.deep.equal([])
    })
  })
  return verdicts
}

/** What is wrong with the long quiet times of scenarios: each has one, and nothing is written in it. */
export async function quietProblems(scenarios: readonly (readonly Verdict[])[]): Promise<readonly string[]> {
  const found = scenarios.map(async (verdicts, index) => {
    const later = await Promise.all(verdicts.flatMap((verdict) => verdict.later ?? []))
    const name = verdicts[0]?.scenario ?? `number ${index + 1}`
    return later.length === 0 ? [`no controller of the scenario ${name} had a long quiet time`] : later.flat()
  })
  return (await Promise.all(found)).flat()
}

/** Declares that nothing was written in the long quiet times of scenarios. */
export function quietAfterwards(scenarios: readonly (readonly Verdict[])[]): void {
  describe('afterwards', () => {
    it('O3, O5: one controller of each scenario writes nothing for a minute, and does not end', async () =>
      expect(await quietProblems(scenarios)).to.deep.equal([]))
  })
}
