import { expect } from 'chai'
import type { JsonObject } from '../../common/api/object.ts'
import { askedBy } from '../../webhook/asked.ts'
import { anExperiment } from '../builders.ts'
import { anAsked } from './an-asked.ts'
import { aRequest } from './reviews.ts'

const ofKind = (kind: string) => askedBy(aRequest({ object: anExperiment({ sourceRef: { kind, name: 'cart' } }) }))
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })

describe('what is asked', () => {
  it('has its name, and its source in its own namespace unless it names another', () => {
    const { name, place } = anAsked()
    expect([name, place]).to.deep.equal(['faster-cart', { namespace: 'shop', name: 'cart' }])
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'till' }
    expect(anAsked({ object: anExperiment({ sourceRef }) }).place.namespace).to.equal('till')
  })

  it('is of a kind that can be forked: the CRD that says so may have been loosened', () => {
    for (const kind of ['Pod', 'toString'])
      expect(ofKind(kind)).to.deep.equal({
        is: 'invalid',
        errors: [
          {
            field: 'spec.sourceRef.kind',
            message: `unsupported value "${kind}"; the CRD lists the kinds that can be forked`,
            cause: 'FieldValueNotSupported',
          },
        ],
      })
  })

  it('is told back no longer than sixty characters of what is no kind', () => {
    const words = (kind: string) => `unsupported value "${kind}"; the CRD lists the kinds that can be forked`
    expect(ofKind(`${'K'.repeat(59)}XY`)).to.have.nested.property('errors[0].message', words(`${'K'.repeat(59)}X`))
  })

  it('is compared with what was stored', () => {
    const oldObject = anExperiment({ replicas: 7 })
    expect(anAsked({ oldObject }).previous?.spec.replicas).to.equal(7)
    expect(anAsked().previous).to.equal(undefined)
  })

  const unknown: Record<string, Readonly<Record<string, unknown>>> = {
    'that is none of ours': { metadata: { name: 'faster-cart' }, spec: { sourceRef: {}, overrideSpec: 1 } },
    'that is over the limits': anExperiment({ overrideSpec: nested(65) }),
    'that has a key which no override may use': anExperiment({ overrideSpec: { prototype: 1 } }),
  }
  for (const [sentence, oldObject] of Object.entries(unknown))
    it(`is compared with nothing ${sentence}, so that it can be mended`, () =>
      expect(anAsked({ oldObject }).previous).to.equal(undefined))
})
