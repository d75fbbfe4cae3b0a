import { expect } from 'chai'
import fc from 'fast-check'
import { compareVersions, isVersion } from '../../../../common/kube/watch/version.ts'
import '../../../property.ts'

describe('isVersion', () => {
  for (const value of ['0', '7', '9007199254740993'])
    it(`accepts ${value}`, () => expect(isVersion(value)).to.equal(true))

  for (const value of ['', '07', '-1', '1.5', '0x1', ' 1', '1\n', 'a', 7, null, undefined])
    it(`rejects ${JSON.stringify(value)}`, () => expect(isVersion(value)).to.equal(false))
})

describe('compareVersions', () => {
  it('orders versions beyond 2^53, where numbers lose digits', () => {
    expect(compareVersions('9007199254740992', '9007199254740993')).to.be.below(0)
  })

  it('orders versions as their numbers', () => {
    const aNumber = fc.bigInt({ min: 0n, max: 2n ** 80n })
    fc.assert(
      fc.property(aNumber, aNumber, (one, other) => {
        const expected = one < other ? -1 : one > other ? 1 : 0
        expect(Math.sign(compareVersions(`${one}`, `${other}`))).to.equal(expected)
      }),
    )
  })
})
