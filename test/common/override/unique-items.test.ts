import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { withUniqueItems } from '../../../common/override/unique-items.ts'
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

  it('refuses two items with the same key in any other list, with their path', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }]
    const found = of({ volumes: [{ name: 'v' }, { name: 'v' }], a: { ports } }).errors
    expect(found.map(({ field, message }) => `${field}: ${message}`)).to.deep.equal([
      'spec.volumes[1]: duplicate of [0] (name "v"), which server-side apply refuses; remove one of them in the source',
      'spec.a.ports[1]: duplicate of [0] (containerPort 80, protocol "TCP"), which server-side apply refuses; remove one of them in the source',
    ])
  })

  it('does not change items without a key, nor lists without keys', () => {
    const spec = { env: [{ value: 'x' }, { value: 'x' }], args: ['a', 'a'] }
    expect(of(spec)).to.deep.equal({ spec, errors: [], warnings: [] })
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
})
