import { expect } from 'chai'
import { REASONS } from '../../../common/api/reasons.ts'
import { REMEDIES } from '../../../common/view/remedies.ts'

describe('the remedies', () => {
  it('are of the reasons, one for each', () => expect(Object.keys(REMEDIES)).to.have.members(Object.keys(REASONS)))

  it('are whole sentences, each a row of a table', () => {
    for (const [reason, remedy] of Object.entries(REMEDIES)) expect(remedy, reason).to.match(/^[A-Z][^|\n]*\.$/)
  })
})
