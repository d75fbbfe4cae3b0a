import { expect } from 'chai'
import { RequestError } from '../../../webhook/http/request-error.ts'

describe('RequestError', () => {
  it('has a status, a reason, and the uid of the review if it is known', () => {
    const rejected = new RequestError('not you', { status: 403, reason: 'caller', uid: 'u' })
    expect(rejected).to.include({ message: 'not you', status: 403, reason: 'caller', uid: 'u' })
    expect(new RequestError('late', { status: 408, reason: 'stalled' }).uid).to.equal(undefined)
  })

  it('keeps its cause', () => {
    const cause = new Error('of a library')
    expect(new RequestError('x', { status: 400, reason: 'json' }, { cause }).cause).to.equal(cause)
  })
})
