import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { mergePatch, toMergePatch } from '../../../common/override/strategic.ts'
import { A_SHAPE } from './nodes.ts'

const A = { name: 'A', value: '1' }
const B = { name: 'B', value: '2' }

const cases: Record<string, readonly [base: JsonObject, override: JsonObject, patch: JsonObject]> = {
  'is the override itself where no list has keys': [
    { a: { type: 'x' }, args: ['a'] },
    { a: { type: null }, args: ['b'] },
    { a: { type: null }, args: ['b'] },
  ],
  'contains a keyed list whole, with items of the base in their places': [
    { env: [A, B] },
    { env: [{ name: 'B', value: '3' }] },
    { env: [A, { name: 'B', value: '3' }] },
  ],
  'appends new items in the order of the override': [
    { env: [A] },
    { env: [{ name: 'D' }, { name: 'C' }] },
    { env: [A, { name: 'D' }, { name: 'C' }] },
  ],
  'removes a member of an item that the override sets to null': [
    { env: [A] },
    { env: [{ name: 'A', value: null }] },
    { env: [{ name: 'A' }] },
  ],
  'adds a null for a member of a union that is displaced': [
    { livenessProbe: { httpGet: {}, periodSeconds: 5 } },
    { livenessProbe: { exec: {} } },
    { livenessProbe: { httpGet: null, exec: {} } },
  ],
  'adds no null for a displaced member that the base does not have': [
    { livenessProbe: {} },
    { livenessProbe: { exec: {} } },
    { livenessProbe: { exec: {} } },
  ],
  'adds a null for what belongs to another type': [
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    { type: 'Recreate' },
    { rollingUpdate: null, type: 'Recreate' },
  ],
  'merges into the last of several items with one key, because it counts': [
    { env: [A, B, { name: 'A', value: '2' }] },
    { env: [{ name: 'A', value: '3' }] },
    { env: [A, B, { name: 'A', value: '3' }] },
  ],
  'merges into each variable that only repeats itself, because others may refer to the first': [
    { env: [A, B, A] },
    { env: [{ name: 'A', value: '3' }] },
    { env: [{ name: 'A', value: '3' }, B, { name: 'A', value: '3' }] },
  ],
  'merges into the last of other items that repeat themselves, of which each may have a name of its own': [
    { ports: [{ containerPort: 80 }, { containerPort: 80 }] },
    { ports: [{ containerPort: 80, name: 'http' }] },
    { ports: [{ containerPort: 80 }, { containerPort: 80, name: 'http' }] },
  ],
  'keeps items of the base that have no key': [{ env: ['odd'] }, { env: [A] }, { env: ['odd', A] }],
}

describe('toMergePatch', () => {
  for (const [sentence, [base, override, patch]] of Object.entries(cases))
    it(sentence, () => expect(toMergePatch(base, override, A_SHAPE)).to.deep.equal(patch))
})

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
