import { expect } from 'chai'
import { denial } from '../../webhook/denial.ts'
import { Refused, refusalOf } from '../../webhook/refused.ts'

const failed = (status: unknown) => Object.assign(new Error('of the reader'), { status })

describe('a refusal of a body', () => {
  const cases: Record<string, readonly [number, string, string]> = {
    'that is shorter than was announced': [400, 'size', 'the body is not as long as was announced'],
    'that is too large': [413, 'size', 'the body is too large'],
    'that is packed': [415, 'contentType', 'the body is encoded in a way that is not served here'],
  }
  for (const [words, [status, why, message]] of Object.entries(cases))
    it(`${words} is in our words, with its cause`, () => {
      const error = failed(status)
      const refused = refusalOf(error)
      expect([refused?.status, refused?.why, refused?.message]).to.deep.equal([status, why, message])
      expect(refused?.cause).to.equal(error)
    })

  it('is as it was thrown, where it is one of ours', () => {
    const refused = new Refused('too many', { status: 429, why: 'cap', uid: 'u' })
    expect(refusalOf(refused)).to.equal(refused)
  })

  it('is none of a bug of ours', () => {
    for (const error of [new TypeError('of mine'), failed(418), failed(undefined), undefined, 'x', { status: 413 }])
      expect(refusalOf(error)).to.equal(undefined)
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
      expect(denial(Number(code), 'why')).to.deep.equal({
        allowed: false,
        status: { code: Number(code), reason, message: 'why' },
      }))

  it('of 429 says when to try again, or kubectl would not', () =>
    expect(denial(429, 'why')).to.deep.equal({
      allowed: false,
      status: { code: 429, reason: 'TooManyRequests', message: 'why', details: { retryAfterSeconds: 1 } },
    }))
})
