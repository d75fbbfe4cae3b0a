import { expect } from 'chai'
import { decodeReview, encodeReview, type ReviewAnswer } from '../../../webhook/review/admission-review.ts'
import { aReview } from '../reviews.ts'

const V9 = { group: 'experimentcontroller.example.com', version: 'v9', resource: 'experimentdeployments' }

describe('the decoding of a review', () => {
  const cases: Record<string, readonly [body: unknown, is: string]> = {
    'accepts a create of our kind': [aReview(), 'ours'],
    'accepts an update of our kind': [aReview({ operation: 'UPDATE', oldObject: {} }), 'ours'],
    'passes a Pod, because a widened configuration must not block a cluster': [
      aReview({ resource: { group: '', version: 'v1', resource: 'pods' } }),
      'foreign',
    ],
    'passes a status': [aReview({ subResource: 'status' }), 'foreign'],
    'passes a DELETE': [aReview({ operation: 'DELETE', object: null, oldObject: {} }), 'foreign'],
    'does not know another version of our kind': [aReview({ resource: V9 }), 'unknownVersion'],
    'does not know an update of another version': [
      aReview({ resource: V9, operation: 'UPDATE', oldObject: {} }),
      'unknownVersion',
    ],
    'does not know a version that is not a string': [
      aReview({ resource: { ...V9, version: { toString: 1 } } }),
      'unknownVersion',
    ],
    'passes a DELETE of another version': [
      aReview({ resource: V9, operation: 'DELETE', object: null, oldObject: {} }),
      'foreign',
    ],
    'passes a DELETE of another version that has an object': [
      aReview({ resource: V9, operation: 'DELETE' }),
      'foreign',
    ],
    'passes a CONNECT of another version': [aReview({ resource: V9, operation: 'CONNECT' }), 'foreign'],
    'passes a status of another version': [aReview({ resource: V9, subResource: 'status' }), 'foreign'],
    'cannot read a review without a uid': [aReview({ uid: '' }), 'unreadable'],
    'cannot read another version of the review': [
      { ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' },
      'unreadable',
    ],
    'cannot read another kind': [{ kind: 'Pod' }, 'unreadable'],
    'cannot read a list': [[], 'unreadable'],
    'cannot read nothing': [undefined, 'unreadable'],
  }
  for (const [sentence, [body, is]] of Object.entries(cases))
    it(sentence, () => expect(decodeReview(body).is).to.equal(is))
})

describe('the encoding of an answer', () => {
  it('has neither patch nor patchType nor warnings where there are none', () => {
    expect(encodeReview('u', { allowed: true, patch: [], warnings: [] })).to.deep.equal({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u', allowed: true },
    })
  })
  it('has both patch and patchType where something changes', () => {
    const { response } = encodeReview('u', { allowed: true, patch: [{ op: 'add', path: '/a', value: 1 }] })
    expect(response).to.deep.equal({
      uid: 'u',
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from('[{"op":"add","path":"/a","value":1}]').toString('base64'),
    })
  })
  it('writes audit annotations for a refused request too', () => {
    const status = { code: 422, reason: 'Invalid', message: 'no' }
    const { response } = encodeReview('u', { allowed: false, status, auditAnnotations: { why: 'a' } })
    expect(response).to.deep.equal({ uid: 'u', allowed: false, status, auditAnnotations: { why: 'a' } })
  })

  const responseOf = (answer: ReviewAnswer) => encodeReview('u', answer).response

  it('has the version of the request, or the API server would not accept it', () =>
    expect(encodeReview('u', { allowed: true })).to.deep.equal({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'u', allowed: true },
    }))

  it('refuses with its reason', () => {
    const status = { code: 403, reason: 'Forbidden', message: 'needs more' }
    expect(responseOf({ allowed: false, status })).to.deep.equal({ uid: 'u', allowed: false, status })
  })

  it('allows with warnings for the author and annotations for the audit log', () => {
    const more = { warnings: ['[Plan] x'], auditAnnotations: { 'policy-findings': 'limits: spec.replicas' } }
    expect(responseOf({ allowed: true, ...more })).to.deep.equal({ uid: 'u', allowed: true, ...more })
  })
})
