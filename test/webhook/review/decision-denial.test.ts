import { expect } from 'chai'
import { RequestError, requestErrorOf } from '../../../webhook/http/request-error.ts'
import { deniedAnswer } from '../../../webhook/review/decision.ts'

const failed = (status: unknown) => Object.assign(new Error('of the reader'), { status })

describe('a refusal of a body', () => {
  const cases: Record<string, readonly [number, string, string]> = {
    'that is shorter than was announced': [400, 'size', 'the body does not match its Content-Length'],
    'that is too large': [413, 'size', 'the body is too large'],
    'that is packed': [415, 'contentType', 'the Content-Encoding is not supported; send the body uncompressed'],
  }
  for (const [words, [status, why, message]] of Object.entries(cases))
    it(`${words} has our message and its cause`, () => {
      const error = failed(status)
      const refused = requestErrorOf(error)
      expect([refused?.status, refused?.reason, refused?.message]).to.deep.equal([status, why, message])
      expect(refused?.cause).to.equal(error)
    })

  it('has the status and message of an error that we throw', () => {
    const refused = new RequestError('too many', { status: 429, reason: 'cap', uid: 'u' })
    expect(requestErrorOf(refused)).to.equal(refused)
  })

  it('does not apply to internal errors', () => {
    for (const error of [new TypeError('of mine'), failed(418), failed(undefined), undefined, 'x', { status: 413 }])
      expect(requestErrorOf(error)).to.equal(undefined)
  })
})

describe('a denial', () => {
  const reasons: Record<number, string> = {
    400: 'BadRequest',
    413: 'RequestEntityTooLarge',
    500: 'InternalError',
    599: 'InternalError',
  }
  for (const [code, reason] of Object.entries(reasons))
    it(`of ${code} is ${reason}, as apimachinery calls it`, () =>
      expect(deniedAnswer(Number(code), 'why')).to.deep.equal({
        allowed: false,
        status: { code: Number(code), reason, message: 'why' },
      }))

  it('of 429 says when to try again, or kubectl would not', () =>
    expect(deniedAnswer(429, 'why')).to.deep.equal({
      allowed: false,
      status: { code: 429, reason: 'TooManyRequests', message: 'why', details: { retryAfterSeconds: 1 } },
    }))
})
