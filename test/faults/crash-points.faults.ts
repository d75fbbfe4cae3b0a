import { expect } from 'chai'
import { ownWrites } from '../../sandbox/proof.ts'
import { controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS, installation, usesProduct } from '../integration/product.ts'
import { mayLeadAnywhere, POSITIONS } from './crash/actor.ts'
import { crashesOf, tableOf } from './crash/batch.ts'
import * as leadership from './crash/leadership.ts'
import { auditProblems, type History, startHistory } from './crash/oracles.ts'
import * as alone from './crash/run.ts'
import { created, isUpdated, SCENARIOS } from './crash/scenarios.ts'

type Verdict = alone.Verdict

/** Plays a story of its own. */
const LEADERSHIP = { name: 'leadership change', change: created, isDone: isUpdated }

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

  for (const scenario of [...SCENARIOS, LEADERSHIP])
    describe(scenario.name, () => {
      const verdicts: Verdict[] = []
      const begun = new Date()
      before('all crash points', async () => {
        if (!history) throw new Error('the history has started')
        verdicts.push(...(await crashesOf(scenario, history, scenario === LEADERSHIP ? leadership : alone)))
        all.push(...verdicts)
      })
      after('the table', () => console.log(tableOf(verdicts)))
      const failures = (of: (verdict: Verdict) => boolean) => {
        const chosen = verdicts.filter(of)
        expect(
          chosen.filter(({ isReached }) => isReached),
          'a crash',
        ).not.to.deep.equal([])
        return chosen.flatMap(({ request, position, problems }) =>
          problems.map((problem) => `${request}, ${position}: ${problem}`),
        )
      }
      const isFirstApply = ({ request }: Verdict) => request === 'patch deployments cart-experiment-ID #1'
      const isStatus = ({ request }: Verdict) => request.startsWith('patch experimentdeployments/status')

      if (scenario.name === 'create') {
        it('F1: after the first apply committed, before the reply: one fork, created once, and its status', () =>
          expect(failures((of) => isFirstApply(of) && of.position === 'committed')).to.deep.equal([]))
        it('F2: after the reply to the first apply: no second create, the status, and no burst of Events', () =>
          expect(failures((of) => isFirstApply(of) && of.position === 'replied')).to.deep.equal([]))
        it('F3: after a status write, before its Event: after the last one nothing more is written', () =>
          expect(failures((of) => isStatus(of) && of.position === 'replied')).to.deep.equal([]))
      }
      for (const position of POSITIONS)
        it(`F4: ${scenario.name}: at each write, ${position}: it ends as if nothing had happened`, () =>
          expect(failures((of) => of.position === position)).to.deep.equal([]))

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
