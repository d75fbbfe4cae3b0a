import { expect } from 'chai'
import { usesProduct } from '../integration/product.ts'
import { type CrashPoint, POSITIONS } from './crash/actor.ts'
import { failuresOf, killedAnywhere, usesHistory } from './crash/declare.ts'
import * as leadership from './crash/leadership.ts'
import type { Verdict } from './crash/run.ts'
import * as alone from './crash/run.ts'
import { created, HELD_EXPIRY, isUpdated, SCENARIOS } from './crash/scenarios.ts'
import { TIMES } from './side-by-side.ts'

/** Plays a story of its own. */
const LEADERSHIP = { name: 'leadership change', change: created, isDone: isUpdated }

const isFirstApply = ({ request }: CrashPoint) => request === 'patch deployments cart-experiment-ID #1'
const isOfFork = ({ request }: CrashPoint) => /^(patch|delete) deployments /.test(request)
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
  const history = usesHistory()

  const [create, ...others] = SCENARIOS
  if (!create) throw new Error('the first scenario is a creation')
  const more = (verdicts: () => readonly Verdict[]) => {
    for (const [title, isOf] of Object.entries(FIRST_ROWS))
      it(title, () => expect(failuresOf(verdicts(), isOf)).to.deep.equal([]))
  }
  const isChosen = (point: CrashPoint) => Object.values(FIRST_ROWS).some((isOf) => isOf(point))
  const plan = { scenario: create, runner: alone }
  const heldPlan = {
    scenario: HELD_EXPIRY,
    runner: alone,
    isChosen: isOfFork,
    more: (verdicts: () => readonly Verdict[]) => {
      for (const position of POSITIONS)
        it(`F4: N36: ${HELD_EXPIRY.name}: at each write of the fork, ${position}: it goes as if nothing had happened`, () =>
          expect(failuresOf(verdicts(), (of) => of.position === position)).to.deep.equal([]))
    },
  }
  const rest = [
    ...others.map((scenario) => ({ scenario, runner: alone })),
    heldPlan,
    { scenario: LEADERSHIP, runner: leadership },
  ]
  const plans =
    TIMES === 1 ? [{ ...plan, more }, ...rest] : [{ ...plan, title: 'the first rows', isChosen, more }, plan, ...rest]
  killedAnywhere({ row: 'F4', plans, history })
})
