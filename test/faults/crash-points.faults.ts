import { expect } from 'chai'
import { ownWrites } from '../../sandbox/proof.ts'
import { controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS, installation, usesProduct } from '../integration/product.ts'
import { type CrashPoint, mayLeadAnywhere, POSITIONS } from './crash/actor.ts'
import { crashesOf, tableOf } from './crash/batch.ts'
import * as leadership from './crash/leadership.ts'
import { auditProblems, type History, startHistory } from './crash/oracles.ts'
import * as alone from './crash/run.ts'
import { created, isUpdated, SCENARIOS } from './crash/scenarios.ts'
import { TIMES } from './side-by-side.ts'

type Verdict = alone.Verdict

/** Plays a story of its own. */
const LEADERSHIP = { name: 'leadership change', change: created, isDone: isUpdated }

const isFirstApply = ({ request }: CrashPoint) => request === 'patch deployments cart-experiment-ID #1'
const isStatus = ({ request }: CrashPoint) => request.startsWith('patch experimentdeployments/status')

/** Rows of the creation, and their crash points. */
const FIRST_ROWS: Readonly<Record<string, (point: CrashPoint) => boolean>> = {
  'F1: after the first apply committed, before the reply: one fork, created once, and its status': (point) =>
    isFirstApply(point) && point.position === 'committed',
  'F2: after the reply to the first apply: no second create, the status, and no burst of Events': (point) =>
    isFirstApply(point) && point.position === 'replied',
  'F3: after a status write, before its Event: after the last one nothing more is written': (point) =>
    isStatus(point) && point.position === 'replied',
}

/** For one scenario. */
const LIMIT_MS = 600_000

describe('a controller that is killed at any of its writes, on the real control plane', function () {
  this.timeout(LIMIT_MS)
  usesProduct()
  const all: Verdict[] = []
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

  /**
   * What is wrong with those of `verdicts` that are chosen. @throws AssertionError if the controller was killed at none
   */
  const failures = (verdicts: readonly Verdict[], isChosen: (verdict: Verdict) => boolean): readonly string[] => {
    const chosen = verdicts.filter(isChosen)
    expect(
      chosen.filter(({ isReached }) => isReached),
      'a crash',
    ).not.to.deep.equal([])
    return chosen.flatMap(({ request, position, problems }) =>
      problems.map((problem) => `${request}, ${position}: ${problem}`),
    )
  }
  const kept = () => {
    if (!history) throw new Error('the history has started')
    return history
  }

  const [create] = SCENARIOS
  if (TIMES > 1 && create)
    describe('the first rows', function () {
      this.timeout(LIMIT_MS * Math.ceil(TIMES / 10))
      const verdicts: Verdict[] = []
      before('their crash points', async () => {
        const isChosen = (point: CrashPoint) => Object.values(FIRST_ROWS).some((isOf) => isOf(point))
        verdicts.push(...(await crashesOf(create, kept(), alone, { isChosen, times: TIMES })))
      })
      after('the table', () => console.log(tableOf(verdicts)))
      for (let time = 0; time < TIMES; time += 1)
        for (const [title, isOf] of Object.entries(FIRST_ROWS))
          it(title, () => {
            const count = verdicts.length / TIMES
            expect(failures(verdicts.slice(time * count, (time + 1) * count), isOf)).to.deep.equal([])
          })
    })

  const scenarios = Array.from({ length: TIMES }, () => [...SCENARIOS, LEADERSHIP]).flat()
  for (const scenario of scenarios)
    describe(scenario.name, () => {
      const verdicts: Verdict[] = []
      const begun = new Date()
      before('all crash points', async () => {
        begun.setTime(Date.now())
        verdicts.push(...(await crashesOf(scenario, kept(), scenario === LEADERSHIP ? leadership : alone)))
        all.push(...verdicts)
      })
      after('the table', () => console.log(tableOf(verdicts)))

      if (scenario === create && TIMES === 1)
        for (const [title, isOf] of Object.entries(FIRST_ROWS))
          it(title, () => expect(failures(verdicts, isOf)).to.deep.equal([]))
      for (const position of POSITIONS)
        it(`F4: ${scenario.name}: at each write, ${position}: it ends as if nothing had happened`, () =>
          expect(failures(verdicts, (of) => of.position === position)).to.deep.equal([]))

      it(`F4: ${scenario.name}: the audit log has only allowed writes, and none in the quiet time`, async () => {
        const { auditLog } = await controlPlane()
        expect((await ownWrites(auditLog, begun)).forbidden).to.deep.equal([])
        expect(await auditProblems(verdicts.flatMap(({ silence }) => silence ?? []))).to.deep.equal([])
      })
    })

  describe('afterwards', () => {
    it('O3: one controller of each scenario writes nothing for a minute', async () => {
      const later = await Promise.all(all.flatMap((verdict) => verdict.later ?? []))
      expect(later).not.to.deep.equal([])
      expect(later.flat()).to.deep.equal([])
    })
  })
})
