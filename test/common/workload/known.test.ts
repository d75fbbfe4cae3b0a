import { expect } from 'chai'
import { knownBelow } from '../../../common/schema/known.ts'
import { baseOf } from '../../../common/workload/base.ts'
import { type Known, pruned } from '../../../common/workload/known.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { NO_SHAPE } from '../../../common/workload/shape.ts'
import { aRollout } from '../../builders.ts'

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

describe('what an older CRD does not know', () => {
  const known: Known = knownBelow(SCHEMAS, ROOT, 'template')

  it('is left out, in lists too', () => {
    const template = {
      spec: { containers: [{ name: 'a', resizePolicy: [] }], hostUsers: true },
      metadata: { labels: { a: 'b' } },
      labels: { any: 'thing' },
      status: {},
    }
    expect(pruned(template, known)).to.deep.equal({
      spec: { containers: [{ name: 'a' }] },
      metadata: { labels: { a: 'b' } },
      labels: { any: 'thing' },
    })
  })

  it('is nothing below a schema that refers to itself', () => {
    const template = { spec: { self: { self: { self: { odd: 1 } }, odd: 1 } } }
    expect(pruned(template, known)).to.deep.equal({ spec: { self: { self: { self: { odd: 1 } } } } })
  })

  it('keeps values of other forms as they are', () => {
    for (const value of [null, 1, 'a', []]) expect(pruned({ spec: value }, known)).to.deep.equal({ spec: value })
  })

  it('does not come into the base of a Rollout', () => {
    const source = aRollout({ template: { spec: { containers: [{ name: 'a', resizePolicy: [] }] } } })
    const based = baseOf(rollout, { source, referents: [], shape: NO_SHAPE, template: known })
    expect(based.is === 'base' && based.base.spec.template).to.deep.include({ spec: { containers: [{ name: 'a' }] } })
  })
})
