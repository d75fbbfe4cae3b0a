import { expect } from 'chai'
import { pruneUnknownFields } from '../../../common/fork/base.ts'
import { knownFieldsAt } from '../../../common/schema/transform.ts'

const text = { type: 'string' }
const list = { type: 'array', items: { type: 'object', properties: { name: text, image: text } } }
const SCHEMAS = {
  Self: { type: 'object', properties: { self: { $ref: '#/components/schemas/Self' }, name: text } },
}
const ROOT = {
  properties: {
    template: {
      properties: {
        metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { name: text } },
        labels: { type: 'object', additionalProperties: text },
        spec: { type: 'object', properties: { containers: list, self: { $ref: '#/components/schemas/Self' } } },
      },
    },
  },
}

describe('knownFieldsAt', () => {
  const known = knownFieldsAt(SCHEMAS, ROOT, 'template')

  it('knows the properties of objects and of items', () => {
    const template = { spec: { containers: [{ name: 'a', resizePolicy: [] }], hostUsers: true }, status: {} }
    expect(pruneUnknownFields(template, known)).to.deep.equal({ spec: { containers: [{ name: 'a' }] } })
  })

  it('knows anything in a map, and where unknown fields are preserved', () => {
    const template = { metadata: { labels: { a: 'b' } }, labels: { any: 'thing' } }
    expect(pruneUnknownFields(template, known)).to.deep.equal(template)
  })

  it('knows anything from the second level of a schema that refers to itself', () => {
    const template = { spec: { self: { self: { self: { odd: 1 } }, odd: 1 } } }
    expect(pruneUnknownFields(template, known)).to.deep.equal({ spec: { self: { self: { self: { odd: 1 } } } } })
  })

  it('knows anything below a property that the schema does not have', () => {
    expect(knownFieldsAt(SCHEMAS, ROOT, 'other')).to.deep.equal({})
    expect(knownFieldsAt(SCHEMAS, undefined, 'template')).to.deep.equal({})
  })
})
