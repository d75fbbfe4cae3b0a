import { expect } from 'chai'
import fc from 'fast-check'
import { type Duplicate, findDuplicates, identityOf, type ListKey } from '../../../common/override/shape.ts'
import { LAW } from '../../property.ts'

const NAME: readonly ListKey[] = [{ key: 'name' }]
const PORT: readonly ListKey[] = [{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }]
const named = (...names: readonly unknown[]) => names.map((name) => ({ name }))

const cases: Record<string, readonly [items: readonly unknown[], keys: readonly ListKey[], Duplicate[]]> = {
  'finds nothing in a list of distinct items': [named('a', 'b'), NAME, []],
  'finds an item whose key an earlier one has': [named('a', 'b', 'a'), NAME, [{ index: 2, earlier: 0 }]],
  'names the nearest of several earlier items': [
    named('a', 'a', 'a'),
    NAME,
    [
      { index: 1, earlier: 0 },
      { index: 2, earlier: 1 },
    ],
  ],
  'applies the default of a key that is left out': [
    [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }, { containerPort: 80, protocol: 'UDP' }],
    PORT,
    [{ index: 1, earlier: 0 }],
  ],
  'ignores items without the key': [[{}, {}, 'a', null], NAME, []],
  'distinguishes a number from a text': [named('1', 1), NAME, []],
  'finds nothing in a list without keys': [['a', 'a'], [], []],
}

describe('findDuplicates', () => {
  for (const [sentence, [items, keys, expected]] of Object.entries(cases))
    it(sentence, () => expect(findDuplicates(items, keys)).to.deep.equal(expected))

  it('gives the same answer for short and long lists', () => {
    const anItem = fc.record(
      { name: fc.constantFrom('a', 'b', 'c', 1, null), protocol: fc.constantFrom('TCP', 'UDP') },
      { requiredKeys: [] },
    )
    const aKey = fc.constantFrom<readonly ListKey[]>(NAME, [{ key: 'name' }, { key: 'protocol', fallback: 'TCP' }])
    fc.assert(
      fc.property(fc.array(anItem, { maxLength: 20, size: 'max' }), aKey, (items, keys) => {
        const ids = items.map((item) => identityOf(item, keys))
        const expected = ids.flatMap((id, index) => {
          const earlier = id === undefined ? -1 : ids.lastIndexOf(id, index - 1)
          return index === 0 || earlier < 0 ? [] : [{ index, earlier }]
        })
        expect(findDuplicates(items, keys)).to.deep.equal(expected)
      }),
      LAW,
    )
  })
})
