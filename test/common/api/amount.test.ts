import { expect } from 'chai'
import fc from 'fast-check'
import { AMOUNT_PATTERN, roundedDown, roundedUp } from '../../../common/api/amount.ts'
import { LAW } from '../../property.ts'

describe('an amount', () => {
  const cases: readonly (readonly [amount: number | string, up: number | undefined, down: number | undefined])[] = [
    ['25%', 3, 2],
    ['100%', 10, 10],
    ['0%', 0, 0],
    ['150%', 15, 15],
    ['7', 7, 7],
    [3, 3, 3],
    [0, 0, 0],
    [-1, undefined, undefined],
    [1.5, undefined, undefined],
    [Number.NaN, undefined, undefined],
    ['', undefined, undefined],
    ['%', undefined, undefined],
    ['-5%', undefined, undefined],
    ['2.5%', undefined, undefined],
    ['123456', undefined, undefined],
    ['ten', undefined, undefined],
  ]
  for (const [amount, up, down] of cases)
    it(`${JSON.stringify(amount)} of 10 is ${up} rounded up and ${down} rounded down`, () =>
      expect([roundedUp(amount, 10), roundedDown(amount, 10)]).to.deep.equal([up, down]))

  it('as a text is one exactly if the pattern of the CRD says so', () => {
    const aText = fc.oneof(fc.stringMatching(/^[0-9]{0,7}%?$/), fc.string({ maxLength: 6 }))
    fc.assert(
      fc.property(aText, (text) => {
        expect(roundedUp(text, 10) !== undefined).to.equal(new RegExp(AMOUNT_PATTERN).test(text))
      }),
      LAW,
    )
  })
})
