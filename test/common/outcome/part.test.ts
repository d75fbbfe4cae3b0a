import { expect } from 'chai'
import { stalled, waiting } from '../../../common/facts/decision.ts'
import type { Conclusion } from '../../../common/outcome/conclusion.ts'
import { withPart } from '../../../common/outcome/part.ts'

const conclusion: Conclusion = { ...waiting('Updating', 'created'), fork: undefined, source: undefined }

describe('a part of a pass', () => {
  it('replaces the decision and what it tells, and nothing else', () => {
    const part = { decision: stalled('Aborted', 'no pods'), conclusion: { repairInMs: 5 } }
    const { is, reason, message, repairInMs } = withPart(conclusion, part)
    expect({ is, reason, message, repairInMs }).to.deep.equal({
      ...{ is: 'stalled', reason: 'Aborted' },
      ...{ message: 'no pods', repairInMs: 5 },
    })
  })

  it('leaves nothing of the decision that it replaces', () => {
    const overdue: Conclusion = { ...conclusion, ...stalled('ProgressDeadlineExceeded', 'late'), because: 'overdue' }
    expect(withPart(overdue, { decision: stalled('Aborted', 'no pods') })).to.not.have.property('because')
    expect(withPart(overdue, { conclusion: { repairInMs: 5 } }).because).to.equal('overdue')
  })

  it('changes nothing where there is none, or where it says nothing', () => {
    for (const part of [undefined, {}, { decision: undefined }])
      expect(withPart(conclusion, part)).to.deep.equal(conclusion)
  })
})
