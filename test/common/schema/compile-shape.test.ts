import { expect } from 'chai'
import { findDuplicates } from '../../../common/override/shape.ts'
import { shapeOf } from '../../../common/schema/compile.ts'
import { transform } from '../../../common/schema/transform.ts'
import { deploymentSchema } from './openapi.ts'

describe('shapeOf', () => {
  const schema = deploymentSchema()

  it('knows the keys of lists, and does not take a zero value for the default of a key', () => {
    const containers = schema.shape.member('template').member('spec').member('containers')
    const item = containers.items()
    expect(containers.keys).to.deep.equal([{ key: 'name' }])
    expect(item.member('ports').keys).to.deep.equal([{ key: 'containerPort' }, { key: 'protocol', fallback: 'TCP' }])
    expect(item.member('args').keys).to.deep.equal([])
    expect(item.member('nobody knows').member('this').items().keys).to.deep.equal([])
    expect(schema.shape.member('strategy').unions).to.deep.equal([
      { is: 'byType', member: 'rollingUpdate', type: 'RollingUpdate' },
    ])
  })

  it('N22: takes an empty text for the key of an item that need not have it, as of imagePullSecrets', () => {
    const items = { type: 'object', properties: { name: { type: 'string', default: '' } } }
    const list = { type: 'array', items, 'x-kubernetes-list-map-keys': ['name'] }
    const { keys } = shapeOf(transform({}, { type: 'object', properties: { list } })).member('list')
    expect(keys).to.deep.equal([{ key: 'name', fallback: '' }])
    expect(findDuplicates([{}, { name: 'a' }, { name: '' }], keys)).to.deep.equal([{ index: 2, earlier: 0 }])
  })

  it('follows a schema that refers to itself, and gives equal places the same shape', () => {
    const self = { $ref: '#/components/schemas/Self' }
    const shape = shapeOf(transform({ Self: { type: 'object', properties: { self, other: self } } }, self))
    expect(shape.member('self').member('self')).to.equal(shape.member('other'))
  })

  it('gives every member of a map the shape of its values', () => {
    const keyed = { type: 'array', items: {}, 'x-kubernetes-list-map-keys': ['name'] }
    const shape = shapeOf(transform({}, { type: 'object', additionalProperties: keyed }))
    expect(shape.member('any').keys).to.deep.equal([{ key: 'name' }])
  })
})
