import { expect } from 'chai'
import { deniedAnswer } from '../../../webhook/review/decision.ts'

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
