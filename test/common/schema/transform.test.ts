import { expect } from 'chai'
import { pruneUnknownFields } from '../../../common/fork/base.ts'
import { knownFieldsAt, transform } from '../../../common/schema/transform.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('transform', () => {
  const cases: Record<string, readonly [root: object, expected: object]> = {
    'treats an allOf with one member as a reference, and drops its siblings': [
      { description: 'x', default: {}, allOf: [ref('A')] },
      { definition: 'Merge:A' },
    ],
    'accepts null along object paths, where it removes': [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: ['object', 'null'], properties: { a: { type: ['string', 'null'] } }, additionalProperties: false },
    ],
    'drops required fields along object paths, and keeps them for list items': [
      {
        type: 'object',
        required: ['a'],
        properties: { a: { type: 'array', items: { type: 'object', required: ['b'], properties: { b: {} } } } },
      },
      {
        type: ['object', 'null'],
        properties: {
          a: {
            type: ['array', 'null'],
            items: { type: ['object'], required: ['b'], properties: { b: {} }, additionalProperties: false },
          },
        },
        additionalProperties: false,
      },
    ],
    'accepts any field where unknown fields are preserved': [
      { type: 'object', properties: { a: {} }, 'x-kubernetes-preserve-unknown-fields': true },
      { type: ['object', 'null'], properties: { a: {} } },
    ],
    'accepts null beside the values of an enum': [
      { type: 'string', enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    'recognizes an int-or-string by its format and by its extension': [
      { properties: { a: { format: 'int-or-string' }, b: { 'x-kubernetes-int-or-string': true, anyOf: [] } } },
      {
        properties: {
          a: { type: ['integer', 'string', 'null'], format: 'int32' },
          b: { type: ['integer', 'string', 'null'], format: 'int32' },
        },
        additionalProperties: false,
      },
    ],
    'drops patterns, which could take forever to match, and unknown formats': [
      { type: 'string', pattern: '(a+)+$', format: 'double', minLength: 1 },
      { type: ['string', 'null'], minLength: 1 },
    ],
  }
  for (const [sentence, [root, expected]] of Object.entries(cases))
    it(sentence, () => {
      expect(transform({}, root).Merge).to.deep.equal(expected)
    })

  it('makes one definition of equal large schemas, also where the document has no references', () => {
    const names = Array.from({ length: 40 }, (_, index) => `field${index}`)
    const large = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
    const [small, list] = [
      { type: 'object', properties: { a: {} } },
      { type: 'array', items: large },
    ]
    const { Merge, Strategic, full, ...others } = transform({}, { properties: { large, again: large, list, small } })
    const ids = Object.keys(others)
    expect(ids).to.have.length(2) // along object paths null is accepted, and in the items of lists it is not
    const { large: first, again, small: inline } = Merge.properties as Record<string, unknown>
    expect(first).to.deep.equal(again)
    expect(ids).to.include((first as { definition: string }).definition)
    expect(inline).to.include.keys('properties')
    const items = [Merge, Strategic, full].map(
      ({ properties }) => (properties as { list: { items: object } }).list.items,
    )
    expect(new Set(items.map((each) => JSON.stringify(each))).size).to.equal(1)
  })

  it('converts only schemas that are referred to, also of types that refer to themselves', () => {
    const schemas = {
      A: { type: 'object', properties: { again: ref('A'), list: { type: 'array', items: ref('A') } } },
      Unused: {},
    }
    const roots = ['Merge', 'Strategic', 'full']
    expect(transform(schemas, ref('A'))).to.have.all.keys([...roots, ...roots.map((variant) => `${variant}:A`)])
  })
})

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
