import { expect } from 'chai'
import { decodeReview, encodeReview } from '../../webhook/review.ts'
import { aReview } from './reviews.ts'

const V9 = { group: 'experimentcontroller.example.com', version: 'v9', resource: 'experimentdeployments' }

describe('decodeReview', () => {
  const cases: Record<string, readonly [body: unknown, is: string]> = {
    'takes a create of ours': [aReview(), 'ours'],
    'takes an update of ours': [aReview({ operation: 'UPDATE', oldObject: {} }), 'ours'],
    'lets a Pod be, for a widened configuration must not freeze a cluster': [
      aReview({ resource: { group: '', version: 'v1', resource: 'pods' } }),
      'foreign',
    ],
    'lets a status be': [aReview({ subResource: 'status' }), 'foreign'],
    'lets a DELETE be': [aReview({ operation: 'DELETE', object: null, oldObject: {} }), 'foreign'],
    'knows no other version of ours': [aReview({ resource: V9 }), 'unknownVersion'],
    'knows no update of another version of ours': [
      aReview({ resource: V9, operation: 'UPDATE', oldObject: {} }),
      'unknownVersion',
    ],
    'knows no version that is no text': [aReview({ resource: { ...V9, version: { toString: 1 } } }), 'unknownVersion'],
    'lets a DELETE of another version be': [
      aReview({ resource: V9, operation: 'DELETE', object: null, oldObject: {} }),
      'foreign',
    ],
    'lets a DELETE of another version be that has an object': [
      aReview({ resource: V9, operation: 'DELETE' }),
      'foreign',
    ],
    'lets a CONNECT of another version be': [aReview({ resource: V9, operation: 'CONNECT' }), 'foreign'],
    'lets a status of another version be': [aReview({ resource: V9, subResource: 'status' }), 'foreign'],
    'cannot read a review without a uid': [aReview({ uid: '' }), 'unreadable'],
    'cannot read another version of the review': [
      { ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' },
      'unreadable',
    ],
    'cannot read what is no review': [{ kind: 'Pod' }, 'unreadable'],
    'cannot read a list': [[], 'unreadable'],
    'cannot read nothing': [undefined, 'unreadable'],
  }
  for (const [sentence, [body, is]] of Object.entries(cases))
    it(sentence, () => expect(decodeReview(body).is).to.equal(is))
})

describe('encodeReview', () => {
  it('has neither patch nor patchType where nothing changes', () => {
    expect(encodeReview('u', { allowed: true, patch: [], warnings: [] })).to.deep.equal({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u', allowed: true },
    })
  })
  it('has both where something does', () => {
    const { response } = encodeReview('u', { allowed: true, patch: [{ op: 'add', path: '/a', value: 1 }] })
    expect(response).to.deep.equal({
      uid: 'u',
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64'),
    })
  })
  it('tells the audit log of what is refused too', () => {
    const status = { code: 422, reason: 'Invalid', message: 'no' }
    const { response } = encodeReview('u', { allowed: false, status, auditAnnotations: { why: 'a' } })
    expect(response).to.deep.equal({ uid: 'u', allowed: false, status, auditAnnotations: { why: 'a' } })
  })
})
