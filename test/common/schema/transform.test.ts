import { expect } from 'chai'
import { transform } from '../../../common/schema/transform.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('transform', () => {
  const cases: Record<string, readonly [root: object, expected: object]> = {
    'takes an allOf of one for the reference it is, siblings dropped': [
      { description: 'x', default: {}, allOf: [ref('A')] },
      { $ref: '#/definitions/Merge:A' },
    ],
    'lets null stand for removal along object paths': [
      { type: 'object', properties: { a: { type: 'string' } } },
      { type: ['object', 'null'], properties: { a: { type: ['string', 'null'] } }, additionalProperties: false },
    ],
    'leaves requirements out along object paths, and demands them of list items': [
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
    'leaves open what preserves unknown fields': [
      { type: 'object', properties: { a: {} }, 'x-kubernetes-preserve-unknown-fields': true },
      { type: ['object', 'null'], properties: { a: {} } },
    ],
    'lets null stand beside the words of an enum': [
      { type: 'string', enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    'knows int or string by its format and by its mark': [
      { properties: { a: { format: 'int-or-string' }, b: { 'x-kubernetes-int-or-string': true, anyOf: [] } } },
      {
        properties: { a: { type: ['integer', 'string', 'null'] }, b: { type: ['integer', 'string', 'null'] } },
        additionalProperties: false,
      },
    ],
    'drops patterns, which could take forever, and formats it does not know': [
      { type: 'string', pattern: '(a+)+$', format: 'double', minLength: 1 },
      { type: ['string', 'null'], minLength: 1 },
    ],
  }
  for (const [sentence, [root, expected]] of Object.entries(cases))
    it(sentence, () => {
      expect(transform({}, root).Merge).to.deep.equal(expected)
    })

  it('takes over only what is referred to, in the variants that are needed, also of types that hold themselves', () => {
    const schemas = {
      A: { type: 'object', properties: { again: ref('A'), list: { type: 'array', items: ref('A') } } },
      Unused: {},
    }
    const roots = ['Merge', 'Strategic', 'full']
    expect(transform(schemas, ref('A'))).to.have.all.keys([...roots, ...roots.map((variant) => `${variant}:A`)])
  })
})
