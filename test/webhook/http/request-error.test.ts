import { expect } from 'chai'
import { RequestError, requestErrorOf } from '../../../webhook/http/request-error.ts'

/** An error of express about a body, which has a status. */
const bodyError = (status: number) => Object.assign(new Error('words of a library'), { status })

describe('requestErrorOf', () => {
  it('returns a RequestError as it is', () => {
    const rejected = new RequestError('not you', { status: 403, reason: 'caller', uid: 'u' })
    expect(requestErrorOf(rejected)).to.equal(rejected)
    expect(rejected).to.include({ message: 'not you', status: 403, reason: 'caller', uid: 'u' })
  })

  const cases: Record<number, readonly [reason: string, message: string]> = {
    400: ['size', 'the body does not match its Content-Length'],
    413: ['size', 'the body is too large'],
    415: ['contentType', 'the Content-Encoding is not supported; send the body uncompressed'],
  }
  for (const [status, [reason, message]] of Object.entries(cases))
    it(`explains status ${status} of a body that could not be read, with the error as the cause`, () => {
      const cause = bodyError(Number(status))
      expect(requestErrorOf(cause)).to.include({ status: Number(status), reason, message, cause })
    })

  for (const [what, error] of Object.entries({
    'another status': bodyError(418),
    'an error without a status': new TypeError('of mine'),
    'what is no error': 'text',
  }))
    it(`returns undefined for ${what}: that is a bug`, () => expect(requestErrorOf(error)).to.equal(undefined))
})
