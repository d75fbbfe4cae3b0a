import { expect } from 'chai'
import type { JsonObject } from '../../../common/json/json.ts'
import { decodeRequest } from '../../../webhook/review/request.ts'
import { anExperiment, aWrittenExperiment } from '../../builders.ts'
import { aDecodedRequest } from '../a-decoded-request.ts'
import { aRequest } from '../reviews.ts'

const ofKind = (kind: string) =>
  decodeRequest(aRequest({ object: anExperiment({ sourceRef: { kind, name: 'cart' } }) }))
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) })

describe('a decoded request', () => {
  it('has its name, and its source in its own namespace unless it names another', () => {
    const { name, source } = aDecodedRequest()
    expect([name, source]).to.deep.equal(['faster-cart', { namespace: 'shop', name: 'cart' }])
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'till' }
    expect(aDecodedRequest({ object: anExperiment({ sourceRef }) }).source.namespace).to.equal('till')
  })

  it('has a kind that can be forked, also where the CRD has been loosened', () => {
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

  it('repeats at most sixty characters of an unknown kind', () => {
    const words = (kind: string) => `unsupported value "${kind}"; the CRD lists the kinds that can be forked`
    expect(ofKind(`${'K'.repeat(59)}XY`)).to.have.nested.property('errors[0].message', words(`${'K'.repeat(59)}X`))
  })

  it('has the stored experiment beside an update', () => {
    const oldObject = anExperiment({ replicas: 7 })
    expect(aDecodedRequest({ oldObject }).previous?.spec.replicas).to.equal(7)
    expect(aDecodedRequest().previous).to.equal(undefined)
  })

  it('refuses an override beyond the limits, and a type that a loosened CRD let through', () => {
    const beyond = decodeRequest(aRequest({ object: aWrittenExperiment({ overrideSpec: nested(65) }) }))
    expect(beyond).to.have.nested.property('errors[0].message', 'nested deeper than 64 levels; flatten it')
    const mistyped = decodeRequest(aRequest({ object: { metadata: {}, spec: { sourceRef: {}, overrideSpec: 1 } } }))
    expect(mistyped).to.have.property('is', 'invalid')
  })

  const unknown: Record<string, Readonly<Record<string, unknown>>> = {
    'that cannot be decoded': { metadata: { name: 'faster-cart' }, spec: { sourceRef: {}, overrideSpec: 1 } },
    'with an override beyond the limits': aWrittenExperiment({ overrideSpec: nested(65) }),
    'with a key that no override may have': aWrittenExperiment({ overrideSpec: { prototype: 1 } }),
  }
  for (const [sentence, oldObject] of Object.entries(unknown))
    it(`has no stored experiment ${sentence}, so that it can be corrected`, () =>
      expect(aDecodedRequest({ oldObject }).previous).to.equal(undefined))
})
