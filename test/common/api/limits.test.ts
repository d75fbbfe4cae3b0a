import { expect } from 'chai'
import fc from 'fast-check'
import { brokenLimits, OVERRIDE_LIMITS } from '../../../common/api/limits.ts'

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = { a: value }
  return value
}
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 1]))

const sound: Record<string, unknown> = {
  'an empty override': {},
  '64 levels': nested(64),
  '5,000 keys': wide(5_000),
  'a key of 317 characters': { ['k'.repeat(OVERRIDE_LIMITS.keyLength)]: 1 },
  'the largest safe integer': { a: Number.MAX_SAFE_INTEGER },
  'a fraction': { a: 0.5 },
}
const broken: Record<string, [value: unknown, field: string | RegExp, says: string]> = {
  '65 levels': [nested(65), /^spec\.overrideSpec(\.a)+/, 'nested deeper than 64'],
  '100,000 levels': [nested(100_000), /^spec\.overrideSpec(\.a)+/, 'nested deeper than 64'],
  '5,001 keys': [wide(5_001), 'spec.overrideSpec', 'more than 5000 keys'],
  'a list of 100,000': [{ args: Array.from({ length: 100_000 }, () => 1) }, 'spec.overrideSpec.args', 'more than 5000'],
  '1 MiB of text': [{ a: 'x'.repeat(1 << 20) }, 'spec.overrideSpec.a', 'more than 262144 characters'],
  'a key of 318 characters': [{ ['k'.repeat(318)]: 1 }, /^spec\.overrideSpec\.k+\.\.\.k+$/, 'at most 317'],
  'an empty key': [{ '': 1 }, 'spec.overrideSpec[""]', 'empty key'],
  'a directive': [{ env: [{ $patch: 'delete' }] }, 'spec.overrideSpec.env[0].$patch', 'directives'],
  'the key __proto__': [JSON.parse('{"a": {"__proto__": {"x": 1}}}'), 'spec.overrideSpec.a.__proto__', 'reserved'],
  'the key constructor': [{ labels: { constructor: 'a' } }, 'spec.overrideSpec.labels.constructor', 'reserved'],
  'the key toString': [{ labels: { toString: 'a' } }, 'spec.overrideSpec.labels.toString', 'reserved'],
  'the key prototype': [{ prototype: 1 }, 'spec.overrideSpec.prototype', 'reserved'],
  'an integer beyond 2^53': [{ a: 2 ** 53 }, 'spec.overrideSpec.a', '2^53'],
}

describe('the limits of an override', () => {
  for (const [sentence, value] of Object.entries(sound))
    it(`let ${sentence} pass`, () => expect(brokenLimits(value)).to.deep.equal([]))

  for (const [sentence, [value, field, says]] of Object.entries(broken))
    it(`refuse ${sentence} by its path`, () => {
      const [error] = brokenLimits(value)
      if (typeof field === 'string') expect(error?.field).to.equal(field)
      else expect(error?.field).to.match(field)
      expect(error?.message).to.contain(says)
      expect(error?.field).to.have.length.of.at.most(256)
    })

  it('N27: tell the author of a large integer to write a smaller one, because a string is refused there', () => {
    const [error] = brokenLimits({ template: { spec: { terminationGracePeriodSeconds: 2 ** 53 } } })
    expect(error?.message).to.equal('an integer beyond 2^53 cannot be kept exactly; write a smaller one')
  })

  it('name every reserved key at once', () => {
    expect(brokenLimits({ a: { valueOf: 1 }, b: { toString: 1 } })).to.have.length(2)
  })

  it('throw nothing and change no prototype, whatever they are given', () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => Array.isArray(brokenLimits(value))))
    expect(Object.getOwnPropertyNames(Object.prototype)).to.deep.equal(before)
  })

  it('finds forbidden keys in the order of the document', () => {
    const found = brokenLimits({ a: { $x: 1 }, $y: 2, b: [{ '': 1 }] }, '~').map(({ field }) => field)
    expect(found).to.deep.equal(['~.a.$x', '~.$y', '~.b[0][""]'])
  })
})
