import { expect } from 'chai'
import type { JsonObject } from '../../../common/api/object.ts'
import { withUniqueItems } from '../../../common/workload/unique-items.ts'
import { A_SHAPE } from './nodes.ts'

describe('withUniqueItems', () => {
  const of = (spec: JsonObject) => withUniqueItems(spec, A_SHAPE)

  it('keeps the last of equal variables wherever they are, and says so', () => {
    const env = [{ name: 'A', value: '1' }, { name: 'B' }, { name: 'A', value: '2' }, { name: 'A', value: '3' }]
    const { spec, errors, warnings } = of({ a: { env } })
    expect(spec).to.deep.equal({ a: { env: [{ name: 'B' }, { name: 'A', value: '3' }] } })
    expect(errors).to.deep.equal([])
    expect(warnings).to.deep.equal(['spec.a.env of the source names a variable twice; the experiment takes the last'])
  })

  it('refuses two items of one key in any other list, by path', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 80, protocol: 'TCP' }]
    const found = of({ volumes: [{ name: 'v' }, { name: 'v' }], a: { ports } }).errors
    expect(found.map(({ field, message }) => `${field}: ${message}`)).to.deep.equal([
      'spec.volumes[1]: name "v" is there already, as [0]; server-side apply takes it only once',
      'spec.a.ports[1]: containerPort 80, protocol "TCP" is there already, as [0]; server-side apply takes it only once',
    ])
  })

  it('leaves items without a key, and lists without keys, as they are', () => {
    const spec = { env: [{ value: 'x' }, { value: 'x' }], args: ['a', 'a'] }
    expect(of(spec)).to.deep.equal({ spec, errors: [], warnings: [] })
  })

  it('copies no prototype, and stops where a spec is deeper than any pod', () => {
    const hostile = JSON.parse('{"a": {"__proto__": {"polluted": 1}, "b": 1}}')
    expect(JSON.stringify(of(hostile).spec)).to.equal('{"a":{"b":1}}')
    let deep: JsonObject = {}
    for (let level = 0; level < 50_000; level++) deep = { a: deep }
    expect(of(deep).errors.map(({ message }) => message)).to.deep.equal(['nested deeper than 64 levels'])
  })
})
