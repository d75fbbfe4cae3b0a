import { expect } from 'chai'
import { ABSENT, known, knownObject, knownOrAbsent, knownValue, unknown } from '../../../common/api/known.ts'
import { UNREAD } from '../../../common/api/object.ts'

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

describe('knownObject', () => {
  const cart = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'cart' } }

  it('is known or absent as the object is', () => {
    expect(knownObject(cart)).to.deep.equal(known(cart))
    expect(knownObject(undefined)).to.equal(ABSENT)
  })

  it('N29: is unknown for one that is too large, with its name', () => {
    const unread = { ...cart, [UNREAD]: 'it is longer than 1.5 MiB' }
    const because = 'it is too large: it is longer than 1.5 MiB'
    expect(knownObject(unread)).to.deep.equal({ is: 'unknown', because, unread })
  })
})
