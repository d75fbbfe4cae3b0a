import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { NO_SHAPE } from '../../../common/override/shape.ts'
import {
  differencesIn,
  differencesOf,
  itemsByName,
  recordedChanges,
} from '../../../common/strategy/recorded-changes.ts'
import { POD } from '../../builders.ts'

const podWith = (...containers: readonly JsonObject[]): JsonObject => ({ template: { spec: { containers } } })
const CART = { name: 'cart', image: 'cart:1' }
const recorded = (before: JsonObject, after: JsonObject, shape = POD) =>
  recordedChanges(differencesOf({ before, after }, shape))

describe('the changes that a record of a promotion has', () => {
  const cases: Readonly<Record<string, readonly [JsonObject, JsonObject, ...object[]]>> = {
    'name the items of lists by their keys': [
      podWith({ ...CART, ports: [{ containerPort: 80, name: 'a' }] }),
      podWith({ ...CART, image: 'cart:2', ports: [{ containerPort: 80, name: 'b' }] }),
      { path: 'template.spec.containers[cart].image', before: 'cart:1', after: 'cart:2' },
      { path: 'template.spec.containers[cart].ports[80/TCP].name', before: 'a', after: 'b' },
    ],
    'have no member for a side without the field': [
      { paused: true, replicas: 3 },
      { replicas: 3, minReadySeconds: 5 },
      { path: 'minReadySeconds', after: 5 },
      { path: 'paused', before: true },
    ],
    'are whole items where these are added or removed, and the order of the list': [
      podWith(CART, { name: 'a', image: 'a:1' }),
      podWith({ name: 'b', image: 'b:1' }, CART),
      { path: 'template.spec.containers[*]', before: ['cart', 'a'], after: ['b', 'cart'] },
      { path: 'template.spec.containers[a]', before: { name: 'a', image: 'a:1' } },
      { path: 'template.spec.containers[b]', after: { name: 'b', image: 'b:1' } },
    ],
    'are one value for a list without keys, or with a key twice': [
      podWith({
        ...CART,
        args: ['a'],
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      podWith({ ...CART, args: ['b'], env: [{ name: 'A', value: '3' }] }),
      { path: 'template.spec.containers[cart].args', before: ['a'], after: ['b'] },
      {
        path: 'template.spec.containers[cart].env',
        before: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
        after: [{ name: 'A', value: '3' }],
      },
    ],
    'quote keys with other characters, and are what is around a key that no path can name': [
      { labels: { 'a.b/c': '1' }, options: { 'a"b': '1', c: '2' } },
      { labels: { 'a.b/c': '2' }, options: { 'a"b': '2', c: '2' } },
      { path: 'labels["a.b/c"]', before: '1', after: '2' },
      { path: 'options', before: { 'a"b': '1', c: '2' }, after: { 'a"b': '2', c: '2' } },
    ],
  }
  for (const [title, [before, after, ...changes]] of Object.entries(cases))
    it(`N11: ${title}`, () => {
      expect(recorded(before, after)).to.deep.equal(changes)
      expect(recordedChanges(differencesIn(structuredClone(changes)) ?? [])).to.deep.equal(changes)
    })

  it('N11: are one value for each list where the schema is not known', () =>
    expect(recorded(podWith(CART), podWith({ ...CART, image: 'cart:2' }), NO_SHAPE)).to.deep.equal([
      { path: 'template.spec.containers', before: [CART], after: [{ ...CART, image: 'cart:2' }] },
    ]))

  it('N11: are none in anything else', () => {
    for (const other of [undefined, {}, [{}], [{ path: 1 }], [{ path: 'a b' }], ['a']])
      expect(differencesIn(other)).to.equal(undefined)
  })

  it('have no names for a list in which one is missing', () => {
    expect(itemsByName([CART, {}], [{ key: 'name' }])).to.equal(undefined)
    expect([...(itemsByName([CART], [{ key: 'name' }]) ?? [])]).to.deep.equal([['cart', CART]])
  })
})
