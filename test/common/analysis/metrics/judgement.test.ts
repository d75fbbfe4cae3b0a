import { expect } from 'chai'
import { judged, needsOfHarm, needsOfSafety } from '../../../../common/analysis/metrics/judgement.ts'
import { question } from './windows.ts'

const SAFE = { harm: 0, safe: { body: 4, tail: 4 }, parts: [0], samples: { treatment: 100, control: 100 } }

describe('the decision about a metric', () => {
  const verdictOf = (of: Partial<Parameters<typeof judged>[0]>, asked = question()) =>
    judged({ ...SAFE, ...of }, asked).verdict

  it('is Fail with enough evidence of harm, of which more metrics need more', () => {
    expect(needsOfHarm(question())).to.be.closeTo(Math.log(40), 1e-12)
    expect(verdictOf({ harm: 3.7 })).to.equal('Fail')
    expect(verdictOf({ harm: 3.7, safe: { body: 0 } }, question({ metrics: 3 }))).to.equal('Wait')
  })

  it('is Pass with enough evidence of each part, requests, and without a suspicion', () => {
    expect(needsOfSafety(question())).to.be.closeTo(Math.log(20), 1e-12)
    expect(verdictOf({})).to.equal('Pass')
    expect(verdictOf({ safe: { body: 4, tail: 2.9 } })).to.equal('Wait')
    expect(verdictOf({ samples: { treatment: 49, control: 999 } })).to.equal('Wait')
    expect(verdictOf({ parts: [0, 1.4] })).to.equal('Wait')
    expect(verdictOf({ enough: { had: 1, needs: 2, of: ' windows' } })).to.equal('Wait')
  })

  it('asks for the pods only where harm is shown', () => {
    const pods = () => ({ score: 1, groups: 5, outer: 1 })
    expect(judged({ ...SAFE, harm: 9, pods }, question())).to.deep.include({ verdict: 'Wait', doPodsDiffer: true })
    expect(judged({ ...SAFE, harm: 9, pods: () => undefined }, question()).verdict).to.equal('Fail')
    const never = () => {
      throw new Error('nobody asks')
    }
    expect(judged({ ...SAFE, pods: never }, question()).verdict).to.equal('Pass')
  })
})
