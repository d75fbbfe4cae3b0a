import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson } from '../../../common/json/canonical.ts'
import {
  at,
  isEmpty,
  isEqual,
  isObject,
  listOr,
  member,
  objectOr,
  parseJson,
  textOr,
} from '../../../common/json/json.ts'
import { LAW } from '../../property.ts'

describe('isObject', () => {
  const cases: readonly (readonly [string, unknown, boolean])[] = [
    ['an object', { a: 1 }, true],
    ['an empty object', {}, true],
    ['a list', [], false],
    ['null', null, false],
    ['a string', 'a', false],
    ['undefined', undefined, false],
  ]
  for (const [what, value, expected] of cases)
    it(`is ${expected} for ${what}`, () => expect(isObject(value)).to.equal(expected))
})

describe('isEmpty', () => {
  it('is true for an object or a list without content', () =>
    expect([isEmpty({}), isEmpty([])]).to.deep.equal([true, true]))

  it('is false for an object or a list with content, even if that is undefined', () =>
    expect([isEmpty({ a: undefined }), isEmpty([undefined])]).to.deep.equal([false, false]))
})

describe('member', () => {
  it('returns a member of an object', () => expect(member({ a: 1 }, 'a')).to.equal(1))

  it('does not return what an object inherits', () => {
    expect(member({}, 'constructor')).to.equal(undefined)
    expect(member({}, '__proto__')).to.equal(undefined)
  })

  it('returns a member that has the name of an inherited one', () =>
    expect(member(JSON.parse('{"__proto__": 7}'), '__proto__')).to.equal(7))

  it('returns undefined for values that are no objects', () => {
    for (const value of [null, undefined, 'text', ['a']]) expect(member(value, 'length')).to.equal(undefined)
  })
})

describe('at', () => {
  const document = { spec: { template: { name: 'cart' }, list: [{ name: 'item' }] } }

  it('returns the value at a path', () => expect(at(document, 'spec', 'template', 'name')).to.equal('cart'))
  it('returns the whole value for an empty path', () => expect(at(document)).to.equal(document))
  it('returns undefined where a member is missing', () => expect(at(document, 'spec', 'x', 'name')).to.equal(undefined))
  it('does not enter lists', () => expect(at(document, 'spec', 'list', '0', 'name')).to.equal(undefined))
})

describe('objectOr, listOr and textOr', () => {
  it('return a value of the right type as it is', () => {
    const [object, list] = [{ a: 1 }, [1]]
    expect(objectOr(object)).to.equal(object)
    expect(listOr(list)).to.equal(list)
    expect(textOr('', 'fallback')).to.equal('')
  })

  it('replace a value of another type', () => {
    expect([objectOr([1]), objectOr(null)]).to.deep.equal([{}, {}])
    expect([listOr({ 0: 'a' }), listOr('a')]).to.deep.equal([[], []])
    expect(textOr(7, 'fallback')).to.equal('fallback')
  })

  it('do not call a toString that comes with the value', () =>
    expect(textOr({ toString: () => 'evil' }, 'fallback')).to.equal('fallback'))
})

describe('parseJson', () => {
  it('returns the value, or undefined if the text is not JSON', () => {
    expect(parseJson('{"a":[1]}')).to.deep.equal({ a: [1] })
    expect(parseJson('null')).to.equal(null)
    for (const text of ['', '{', '{a: 1}']) expect(parseJson(text), text).to.equal(undefined)
  })
})

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
