import { expect } from 'chai'
import { warning } from '../../../common/api/warning.ts'

describe('warning', () => {
  it('keeps a short message as it is', () =>
    expect(warning('LeaderElection', 'may become leader')).to.deep.equal({
      reason: 'LeaderElection',
      message: 'may become leader',
    }))

  it('cuts a long message so that it fits 120 characters together with its reason', () => {
    const { reason, message } = warning('LeaderElection', `${'a'.repeat(100)}${'b'.repeat(100)}`)
    expect(`[${reason}] ${message}`).to.have.length(120)
    expect(message).to.match(/^a+\.\.\.b+$/)
  })
})
