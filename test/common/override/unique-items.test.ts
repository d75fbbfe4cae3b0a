import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { flawsOf, withUniqueItems } from '../../../common/override/unique-items.ts'
import { A_SHAPE } from './nodes.ts'

describe('withUniqueItems', () => {
  const of = (spec: JsonObject) => withUniqueItems(spec, A_SHAPE)

  it('keeps the last of variables with the same name, at any depth, and warns', () => {
    const env = [{ name: 'A', value: '1' }, { name: 'B' }, { name: 'A', value: '2' }, { name: 'A', value: '3' }]
    const { spec, errors, warnings } = of({ a: { env } })
    expect(spec).to.deep.equal({ a: { env: [{ name: 'B' }, { name: 'A', value: '3' }] } })
    expect(errors).to.deep.equal([])
    expect(warnings).to.deep.equal(['spec.a.env of the source sets a variable twice; the fork uses the last value'])
  })

  it('keeps the first of variables that repeat it, for those between them, and warns', () => {
    const ip = { name: 'POD_IP', valueFrom: { k: 'status.podIP' } }
    const url = { name: 'URL', value: 'http://$(POD_IP)' }
    expect(of({ env: [ip, url, { valueFrom: { k: 'status.podIP' }, name: 'POD_IP' }] })).to.deep.equal({
      spec: { env: [ip, url] },
      errors: [],
      warnings: ['spec.env of the source sets a variable twice; the fork uses the last value'],
      isFlawed: false,
    })
  })

  it('keeps variables with the same name if one between them refers to the first, and says so', () => {
    const spec = {
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: 'x$(A)' },
        { name: 'A', value: '2' },
      ],
    }
    expect(of(spec)).to.deep.equal({ spec, errors: [], warnings: [], isFlawed: true })
  })

  it('D4: drops an item that is listed twice, and warns', () => {
    const volumes = [{ name: 'v', emptyDir: {} }, { name: 'w' }, { emptyDir: {}, name: 'v' }]
    expect(of({ volumes })).to.deep.equal({
      spec: { volumes: [{ name: 'v', emptyDir: {} }, { name: 'w' }] },
      errors: [],
      warnings: ['spec.volumes of the source lists the same item twice; the fork has it once'],
      isFlawed: false,
    })
  })

  it('D4: keeps different items with the same key, because an override may replace them', () => {
    const spec = { a: { ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }] } }
    expect(of(spec)).to.deep.equal({ spec, errors: [], warnings: [], isFlawed: true })
  })

  it('D3: keeps an integer that lost digits, because an override may replace it', () => {
    for (const spec of [{ a: { seconds: 2 ** 63 } }, { args: [2 ** 53] }])
      expect(of(spec)).to.deep.equal({ spec, errors: [], warnings: [], isFlawed: true })
    expect(of({ a: 2 ** 53 - 1, b: 1e300 / 3e299 }).isFlawed).to.equal(false)
  })

  it('does not change items without a key, nor lists without keys', () => {
    const spec = { env: [{ value: 'x' }, { value: 'x' }], args: ['a', 'a'] }
    expect(of(spec)).to.deep.equal({ spec, errors: [], warnings: [], isFlawed: false })
  })

  it('does not copy a prototype, and refuses a spec that is nested too deeply', () => {
    const hostile = JSON.parse('{"a": {"__proto__": {"polluted": 1}, "b": 1}}')
    expect(JSON.stringify(of(hostile).spec)).to.equal('{"a":{"b":1}}')
    let deep: JsonObject = {}
    for (let level = 0; level < 50_000; level++) deep = { a: deep }
    expect(of(deep).errors.map(({ message }) => message)).to.deep.equal([
      'nested deeper than 64 levels; flatten it in the source',
    ])
  })

  it('refuses items with the same key that are nested too deeply, instead of comparing them', () => {
    const volume = () => {
      let deep: JsonObject = {}
      for (let level = 0; level < 50_000; level++) deep = { a: deep }
      return { name: 'v', deep }
    }
    expect(of({ volumes: [volume(), volume()] }).errors.map(({ message }) => message)).to.deep.equal([
      'nested deeper than 64 levels; flatten it in the source',
      'nested deeper than 64 levels; flatten it in the source',
    ])
  })
})

describe('flawsOf', () => {
  const flaws = (spec: JsonObject) => flawsOf(spec, A_SHAPE).map(({ field, message }) => `${field}: ${message}`)
  const REMEDY =
    'which server-side apply refuses; remove one of them in the source, or replace the list with overrideType: Merge'

  it('D4: finds two items with the same key in any list, by path', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }]
    expect(flaws({ volumes: [{ name: 'v' }, { name: 'v' }], a: { ports } })).to.deep.equal([
      `spec.volumes[1]: duplicate of [0] (name "v"), ${REMEDY}`,
      `spec.a.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"), ${REMEDY}`,
    ])
  })

  it('D3: finds integers beyond 2^53, by path', () => {
    const remedy = 'an integer beyond 2^53 cannot be kept exactly; set a smaller one in the source, or in the override'
    expect(flaws({ volumes: [{ name: 'v', size: 2 ** 63 }], a: { low: -(2 ** 60), good: 2 ** 40 } })).to.deep.equal([
      `spec.volumes[0].size: ${remedy}`,
      `spec.a.low: ${remedy}`,
    ])
  })

  it('finds nothing in a sound spec', () => {
    expect(flaws({ volumes: [{ name: 'v' }, { name: 'w' }], args: ['a', 'a'], b: null })).to.deep.equal([])
  })
})
