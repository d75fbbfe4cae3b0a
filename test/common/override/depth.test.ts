import { expect } from 'chai'
import { OVERRIDE_LIMITS } from '../../../common/api/limits.ts'
import type { Json } from '../../../common/json/json.ts'
import { withinDepth } from '../../../common/override/depth.ts'

/** `value` below `levels` objects. */
function nested(levels: number, value: Json): Json {
  let found = value
  for (let level = 0; level < levels; level++) found = { a: found }
  return found
}

describe('what is within the depth that is looked at', () => {
  it('is a value itself that is not nested deeper', () => {
    for (const value of [nested(OVERRIDE_LIMITS.depth, [1]), [{ a: [] }], 'x', null, undefined])
      expect(withinDepth(value)).to.equal(value)
  })

  it('is a copy with null for the rest of one that is', () => {
    const [kept, list] = [{ b: [1, 'x'] }, [[[]]]]
    const deep = { ...kept, c: nested(OVERRIDE_LIMITS.depth, []), d: nested(OVERRIDE_LIMITS.depth - 2, list) }
    expect(withinDepth(deep)).to.deep.equal({
      ...kept,
      c: nested(OVERRIDE_LIMITS.depth, null),
      d: nested(OVERRIDE_LIMITS.depth - 2, [[null]]),
    })
  })

  it('needs no more stack for a deeper one', () => {
    expect(withinDepth(nested(50_000, 1))).to.deep.equal(nested(OVERRIDE_LIMITS.depth + 1, null))
  })
})
