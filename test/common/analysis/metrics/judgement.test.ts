import { expect } from 'chai'
import {
  checked,
  judged,
  needsOfHarm,
  needsOfSafety,
  unchecked,
} from '../../../../common/analysis/metrics/judgement.ts'
import { placedPods } from '../../../../common/analysis/metrics/places.ts'
import { question } from './windows.ts'

const [GOOD, NONE] = [unchecked(4), unchecked(0)]
const SAFE = { harm: NONE, safe: { body: GOOD, tail: GOOD }, parts: [0], samples: { treatment: 100, control: 100 } }

describe('the decision about a metric', () => {
  const verdictOf = (of: Partial<Parameters<typeof judged>[0]>, asked = question()) =>
    judged({ ...SAFE, ...of }, asked).verdict

  it('is Fail with enough evidence of harm, of which more metrics need more', () => {
    expect(needsOfHarm(question())).to.be.closeTo(Math.log(40), 1e-12)
    expect(verdictOf({ harm: unchecked(3.7) })).to.equal('Fail')
    expect(verdictOf({ harm: unchecked(3.7), safe: { body: NONE } }, question({ metrics: 3 }))).to.equal('Wait')
  })

  it('is Pass with enough evidence of each part, requests, and without a suspicion', () => {
    expect(needsOfSafety(question())).to.be.closeTo(Math.log(20), 1e-12)
    expect(verdictOf({})).to.equal('Pass')
    expect(verdictOf({ safe: { body: GOOD, tail: unchecked(2.9) } })).to.equal('Wait')
    expect(verdictOf({ samples: { treatment: 49, control: 999 } })).to.equal('Wait')
    expect(verdictOf({ parts: [0, 1.4] })).to.equal('Wait')
    expect(verdictOf({ enough: { had: 1, needs: 2, of: ' windows' } })).to.equal('Wait')
  })

  it('N38: is no Fail if harm is not shown without one of the pods', () => {
    const harm = { all: 9, without: [9, 3, 9], places: 3 }
    expect(judged({ ...SAFE, harm }, question())).to.deep.include({
      ...{ verdict: 'Wait', doPodsDiffer: true },
      pods: { groups: 3, outer: 1 },
    })
    const found = judged({ ...SAFE, harm: { ...harm, without: [9, 4, 9] } }, question())
    expect(found).to.deep.include({ verdict: 'Fail', pods: { groups: 3, outer: 0 } })
  })

  it('N38: is no Pass if safety is not shown without one of the pods', () => {
    const body = { all: 9, without: [9, 2], places: 2 }
    const found = judged({ ...SAFE, safe: { body, tail: GOOD } }, question())
    expect([found.verdict, found.safe[0]?.logE, found.pods]).to.deep.equal(['Wait', 2, undefined])
    const both = { ...body, without: [9, 3] }
    expect(judged({ ...SAFE, safe: { body: both, tail: both } }, question())).to.deep.include({
      ...{ verdict: 'Pass', pods: { groups: 2, outer: 0 } },
    })
  })

  it('N38: says of the only pod that there is no other one', () => {
    const harm = checked({ all: 9, without: [0] }, placedPods([], [{ pod: 'a' }]))
    expect(judged({ ...SAFE, harm }, question())).to.deep.include({ verdict: 'Fail', pods: { groups: 1, outer: 0 } })
    expect(judged({ ...SAFE, harm: unchecked(9) }, question())).not.to.have.property('pods')
  })

  it('N38: leaves out each pod beside which another one was ever seen, also if a window has missed that one', () => {
    const both = placedPods([], [{ pod: 'a' }, { pod: 'b' }])
    for (const places of [both, placedPods(both, [{ pod: 'b' }]), placedPods(both, [])])
      expect(checked({ all: 9, without: [7, 8] }, places)).to.deep.equal({ all: 9, without: [7, 8], places: 2 })
    expect(checked({ all: 9, without: [7] }, placedPods([], [{ pod: 'a' }])).without).to.deep.equal([])
  })
})
