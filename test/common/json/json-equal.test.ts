import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson } from '../../../common/json/canonical.ts'
import { isEqual } from '../../../common/json/json.ts'
import { LAW } from '../../property.ts'

const equal: Record<string, readonly [unknown, unknown]> = {
  'keys in another order': [
    { a: 1, b: { c: [1, { d: 2 }] } },
    { b: { c: [1, { d: 2 }] }, a: 1 },
  ],
  'an undefined member and an absent one': [{ a: 1, b: undefined }, { a: 1 }],
  nulls: [{ a: null }, { a: null }],
}

const other: Record<string, readonly [unknown, unknown]> = {
  'another scalar deep inside': [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }],
  'one more key': [{ a: 1 }, { a: 1, b: 2 }],
  'one more item': [[1], [1, 2]],
  'items in another order': [
    [1, 2],
    [2, 1],
  ],
  'a list and an object': [[], {}],
  'null and an object': [null, {}],
  'a number and its text': [1, '1'],
  'a key that every object inherits': [{ toString: 'a' }, {}],
}

describe('isEqual', () => {
  for (const [what, [one, two]] of Object.entries(equal))
    it(`is true for ${what}`, () => {
      expect(isEqual(one, two)).to.equal(true)
      expect(isEqual(two, one)).to.equal(true)
    })

  for (const [what, [one, two]] of Object.entries(other))
    it(`is false for ${what}`, () => {
      expect(isEqual(one, two)).to.equal(false)
      expect(isEqual(two, one)).to.equal(false)
    })

  it('agrees with canonical JSON', () => {
    const aValue = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(aValue, aValue, (one, two) => {
        expect(isEqual(one, structuredClone(one))).to.equal(true)
        expect(isEqual(one, two)).to.equal(canonicalJson(one) === canonicalJson(two))
      }),
      LAW,
    )
  })
})
