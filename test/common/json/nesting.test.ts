import '../../property.ts'
import { expect } from 'chai'
import fc from 'fast-check'
import { isDeeperThan } from '../../../common/json/nesting.ts'

const isDeeper = (depth: number, text: string) => isDeeperThan(depth, Buffer.from(text))
const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`

/** How deep a JSON value is. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

describe('isDeeperThan', () => {
  for (const [text, depth] of Object.entries({
    '1': 0,
    '[]': 1,
    '{"a":[{}]}': 3,
    '[[],[],[]]': 2,
    '"[[["': 0,
    '["[[[","\\"[[",{"]":"\\\\"}]': 2,
    [nested(32)]: 32,
    [nested(10_000)]: 10_000,
  }))
    it(`finds ${depth} levels in ${text.slice(0, 40)}`, () =>
      expect([isDeeper(depth, text), isDeeper(depth - 1, text)]).to.deep.equal([false, true]))

  it('counts the levels of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 7 }), (value, depth) => {
        expect(isDeeper(depth, JSON.stringify(value))).to.equal(depthOf(value) > depth)
      }),
    )
  })

  it('counts the levels of JSON with any text in it', () => {
    const parts = fc.constantFrom('[', ']', '{', '}', '"', '\\', ':', ',', 'a', '€')
    fc.assert(
      fc.property(
        fc.array(parts).map((parts) => JSON.stringify([parts.join(''), { [parts.join('')]: [1] }])),
        (text) => {
          expect([isDeeper(3, text), isDeeper(2, text)]).to.deep.equal([false, true])
        },
      ),
    )
  })
})
