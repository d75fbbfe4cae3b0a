/** The tests of scenarios in which a controller is killed at each of its writes. */
import { expect } from 'chai'
import { ownWrites } from '../../../sandbox/proof.ts'
import { controlPlane } from '../../integration/fixture.ts'
import { DEADLINE_MS, installation } from '../../integration/product.ts'
import { TIMES, WANTED } from '../side-by-side.ts'
import { mayLeadAnywhere, POSITIONS } from './actor.ts'
import { crashesOf, ofTime, type Plan, tableOf } from './batch.ts'
import { auditProblems, type History, startHistory } from './oracles.ts'
import type { Verdict } from './run.ts'

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

/** A plan, and its tests besides those on each position, which it has unless its crash points are chosen. */
interface Planned extends Plan {
  /** a word for its tests; default: the name of the scenario */
  readonly title?: string
  /** declares more tests on its verdicts, which are there when the tests run; once for each of `TIMES` */
  readonly more?: (verdicts: () => readonly Verdict[]) => void
}

interface ToBeKilled {
  /** with which the titles begin */
  readonly row: string
  readonly plans: readonly Planned[]
  /** how many runs are made at once */
  readonly lanes?: number
  readonly history: () => History
}

/**
 * Declares the tests of scenarios. Their runs are made together, so that some wait while others work: they begin with
 * the first test, unless none of the tests of a scenario is wanted.
 */
export function killedAnywhere({ row, plans, lanes, history }: ToBeKilled): void {
  const verdicts = plans.map((): Verdict[] => [])
  const suites: Mocha.Suite[] = []
  let pending: ReadonlyMap<Plan, Promise<readonly Verdict[]>> | undefined
  const begin = () => {
    const wanted = plans.filter((_, index) => suites[index]?.tests.some(({ title }) => WANTED.test(title)))
    return crashesOf(wanted, history(), lanes)
  }
  for (const [index, plan] of plans.entries()) {
    const { scenario, title = scenario.name, more, isChosen } = plan
    suites[index] = describe(title, function () {
      this.timeout(this.timeout() * TIMES)
      const found = () => verdicts[index] ?? []
      before('all crash points', async () => {
        pending ??= begin()
        found().push(...((await pending.get(plan)) ?? []))
      })
      after('the table', () => console.log(tableOf(found())))

      for (let time = 0; time < TIMES; time += 1) {
        const own = () => ofTime(found(), time)
        more?.(own)
        if (!isChosen)
          for (const position of POSITIONS)
            it(`${row}: ${title}: at each write, ${position}: it ends as if nothing had happened`, () =>
              expect(failuresOf(own(), (of) => of.position === position)).to.deep.equal([]))
      }
    })
  }

  describe('afterwards', () => {
    it(`${row}: the audit log has only allowed writes, and none in the quiet times`, async () => {
      const { auditLog } = await controlPlane()
      expect((await ownWrites(auditLog)).forbidden).to.deep.equal([])
      expect(await auditProblems(verdicts.flat().flatMap(({ silence }) => silence ?? []))).to.deep.equal([])
    })

    it(`${row}: O3, O5: one controller of each scenario writes nothing for a minute, and does not end`, async () =>
      expect(await quietProblems(verdicts.filter(({ length }) => length > 0))).to.deep.equal([]))
  })
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
