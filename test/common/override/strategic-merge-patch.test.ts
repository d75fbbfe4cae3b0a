import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'

/** The examples of RFC 7386, appendix A, in which base and patch are objects. */
const examples: readonly (readonly [base: JsonObject, patch: JsonObject, result: JsonObject])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

describe('mergePatch', () => {
  for (const [base, patch, result] of examples)
    it(`${JSON.stringify(base)} + ${JSON.stringify(patch)}`, () => {
      const before = structuredClone({ base, patch })
      expect(mergePatch(base, patch)).to.deep.equal(result)
      expect({ base, patch }, 'arguments').to.deep.equal(before)
    })

  it('shares with the base what the patch does not mention', () => {
    const base: JsonObject = { kept: { a: [1] }, changed: { a: 1 } }
    const merged = mergePatch(base, { changed: { b: 2 } })
    expect(merged.kept).to.equal(base.kept)
    expect(merged.changed).to.deep.equal({ a: 1, b: 2 })
  })

  it('does not remove nulls from an object of the patch itself', () => {
    const patch: JsonObject = { a: { b: null } }
    expect(mergePatch({}, patch)).to.deep.equal({ a: {} })
    expect(patch).to.deep.equal({ a: { b: null } })
  })
})
