import { expect } from 'chai'
import { evaluate } from '../../../common/plan/plan.ts'
import { decisionWithoutPods, podsForbiddenBy } from '../../../common/plan/pods-forbidden.ts'
import { situationOf } from '../../../common/situation/situation-of.ts'
import { anAnalysis } from './an-analysis.ts'

/** An experiment whose analysis has failed. */
function failed() {
  const run = anAnalysis()
  run.decides('Fail')
  const situation = situationOf(run.facts())
  return { situation, analysis: evaluate(situation).analysis }
}
const HELD = {
  services: ['cart'],
  since: '2026-11-21T10:00:00Z',
  restMs: 0,
  forbidding: ['no-lonely-fork'],
  forbidsPods: true,
}

describe('the pods of a fork', () => {
  it('are forbidden by a verdict that rolls it back', () => {
    const { situation, analysis } = failed()
    const forbidden = podsForbiddenBy(situation, { alone: undefined, analysis })
    expect(forbidden?.because).to.equal('rolledBack')
    expect(forbidden && decisionWithoutPods(forbidden).reason).to.equal('RolledBack')
  })

  it('are forbidden, before that, where it would be alone behind a Service', () => {
    const { situation, analysis } = failed()
    const forbidden = podsForbiddenBy(situation, { alone: HELD, analysis })
    expect(forbidden && decisionWithoutPods(forbidden).reason).to.equal('AloneBehindService')
    expect(podsForbiddenBy(situation, { alone: { ...HELD, forbidsPods: false }, analysis: undefined })).to.equal(
      undefined,
    )
  })
})
