import { expect } from 'chai'
import fc from 'fast-check'
import type { Json, JsonObject } from '../../../common/api/object.ts'
import { merge } from '../../../common/workload/merge.ts'
import { aJsonObject } from '../../generators.ts'

const rows: readonly (readonly [because: string, base: JsonObject, override: JsonObject, result: JsonObject])[] = [
  ['maps merge, scalars replace', { a: { x: 1 }, b: 2 }, { a: { y: 2 }, b: 3 }, { a: { x: 1, y: 2 }, b: 3 }],
  ['null removes, and what is not there it leaves so', { a: 1, b: 2 }, { b: null, z: null }, { a: 1 }],
  ['a null in a new map is not stored', {}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ['a map replaces a scalar, without its nulls', { a: 's' }, { a: { b: null } }, { a: {} }],
  ['lists replace whole', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
  [
    'a strategy changes its type',
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    { type: 'Recreate', rollingUpdate: null },
    { type: 'Recreate' },
  ],
  [
    'lists of maps too',
    { env: [{ name: 'A' }, { name: 'B' }] },
    { env: [{ name: 'A', value: 'z' }] },
    { env: [{ name: 'A', value: 'z' }] },
  ],
  ['an empty list empties', { env: [{ name: 'A' }] }, { env: [] }, { env: [] }],
  ['null removes a list', { env: [{ name: 'A' }] }, { env: null }, {}],
  ['a map replaces a list', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
]

/** The algorithm as RFC 7386 prints it. */
function rfc7386(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target)
  const result: Record<string, Json> = isMap ? { ...(target as JsonObject) } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = rfc7386(result[key], value)
  }
  return result
}

describe('merge', () => {
  for (const [because, base, override, result] of rows)
    it(`${because}: ${JSON.stringify(base)} + ${JSON.stringify(override)}`, () => {
      expect(merge(base, override)).to.deep.equal(result)
    })

  it('equals RFC 7386 on random objects', () => {
    fc.assert(
      fc.property(aJsonObject, aJsonObject, (base, override) => {
        expect(merge(base, override)).to.deep.equal(rfc7386(base, override))
      }),
    )
  })

  it('merged twice equals once', () => {
    fc.assert(
      fc.property(aJsonObject, aJsonObject, (base, override) => {
        const once = merge(base, override)
        expect(merge(once, override)).to.deep.equal(once)
      }),
    )
  })

  it('never changes what it was given', () => {
    fc.assert(
      fc.property(aJsonObject, aJsonObject, (base, override) => {
        const before = structuredClone({ base, override })
        merge(base, override)
        expect({ base, override }).to.deep.equal(before)
      }),
    )
  })
})
