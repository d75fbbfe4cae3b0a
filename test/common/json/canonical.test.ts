import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, sha256Of } from '../../../common/json/canonical.ts'

describe('canonicalJson', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: 2 }], a: 'x' })).to.equal('{"a":"x","b":[1,{"c":2,"d":1}]}')
    expect(sha256Of({ a: 1, b: 2 }, 10)).to.equal(sha256Of({ b: 2, a: 1 }, 10))
  })

  it('leaves out undefined members, as JSON.stringify does', () => {
    expect(canonicalJson({ a: undefined, b: [undefined] })).to.equal('{"b":[null]}')
  })

  it('parses to the value that it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
