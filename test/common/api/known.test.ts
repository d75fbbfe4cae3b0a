import { expect } from 'chai'
import { ABSENT, known, knownOrAbsent, knownValue, unknown } from '../../../common/api/known.ts'

describe('a known value', () => {
  it('is returned as it was read, also when it is falsy', () => {
    expect(knownValue(known('cart'))).to.equal('cart')
    expect(knownValue(known(0))).to.equal(0)
  })

  it('is undefined when there is none, and when it could not be read', () => {
    expect(knownValue(ABSENT)).to.equal(undefined)
    expect(knownValue(unknown('forbidden'))).to.equal(undefined)
  })

  it('keeps the reason why it could not be read', () =>
    expect(unknown('forbidden')).to.deep.equal({ is: 'unknown', because: 'forbidden' }))
})

describe('knownOrAbsent', () => {
  it('is absent for undefined only', () => {
    expect(knownOrAbsent(undefined)).to.deep.equal(ABSENT)
    for (const value of [0, '', null, false]) expect(knownOrAbsent(value)).to.deep.equal({ is: 'known', value })
  })
})
