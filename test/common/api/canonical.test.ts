import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, hashOf } from '../../../common/api/canonical.ts'
import { formatPath, showValue } from '../../../common/api/field-path.ts'

describe('canonical JSON', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: 2 }], a: 'x' })).to.equal('{"a":"x","b":[1,{"c":2,"d":1}]}')
    expect(hashOf({ a: 1, b: 2 }, 10)).to.equal(hashOf({ b: 2, a: 1 }, 10))
  })

  it('leaves undefined members out, as JSON does', () => {
    expect(canonicalJson({ a: undefined, b: [undefined] })).to.equal('{"b":[null]}')
  })

  it('means what it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('a field path', () => {
  it('reads as users write it', () => {
    expect(formatPath('spec', ['containers', 0, 'labels', 'a.b/c'])).to.equal('spec.containers[0].labels["a.b/c"]')
  })
})

describe('a value in a message', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    ['30s', '"30s"'],
    [3, '3'],
    [null, 'null'],
    [[1, 2], 'a list of 2'],
    [{ a: 1 }, 'an object'],
    [undefined, 'nothing'],
    ['x'.repeat(100), `"${'x'.repeat(56)}...`],
  ]
  for (const [value, text] of cases) it(`is ${text}`, () => expect(showValue(value)).to.equal(text))
})
