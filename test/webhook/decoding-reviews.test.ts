import { expect } from 'chai'
import { decodeReview } from '../../webhook/review.ts'
import { anExperiment } from '../builders.ts'
import { ALICE, aReview } from './reviews.ts'

const EXPECTED = 'expected an AdmissionReview of admission.k8s.io/v1'
const { resource } = aReview().request

/** The request in a review that is ours. */
function requestIn(given: object) {
  const review = decodeReview(aReview(given))
  if (review.is !== 'ours') throw new Error(`not ours: ${JSON.stringify(review)}`)
  return review.request
}

describe('a body that was posted', () => {
  const cases: Record<string, readonly [body: unknown, review: object]> = {
    'is no review of another kind': [
      { ...aReview(), kind: 'Review' },
      { is: 'unreadable', message: EXPECTED },
    ],
    'is no review of another version': [
      { ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' },
      { is: 'unreadable', message: EXPECTED },
    ],
    'cannot be answered without a uid': [aReview({ uid: '' }), { is: 'unreadable', message: 'request.uid: required' }],
    'cannot be answered where the uid is no text': [
      aReview({ uid: 5 }),
      { is: 'unreadable', message: 'request.uid: required' },
    ],
    'is not ours where somebody else has a kind of that name': [
      aReview({ resource: { ...resource, group: 'example.org' } }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'is not ours of another kind in our group': [
      aReview({ resource: { ...resource, resource: 'experimentpolicies' } }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'is not ours where it is about a status': [
      aReview({ subResource: 'status' }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'is not ours without an object': [aReview({ object: null }), { is: 'foreign', uid: 'uid-of-review' }],
    'is not ours as an update of nothing': [aReview({ operation: 'UPDATE' }), { is: 'foreign', uid: 'uid-of-review' }],
    'is not ours as a deletion': [
      aReview({ operation: 'DELETE', oldObject: anExperiment() }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'is of a version that is to come, by its name': [
      aReview({ resource: { ...resource, version: 'v9' } }),
      { is: 'unknownVersion', uid: 'uid-of-review', version: 'v9' },
    ],
    'is of a version that nobody knows, where that is no text': [
      aReview({ resource: { ...resource, version: 9 } }),
      { is: 'unknownVersion', uid: 'uid-of-review', version: 'unknown' },
    ],
  }
  for (const [sentence, [body, review]] of Object.entries(cases))
    it(sentence, () => expect(decodeReview(body)).to.deep.equal(review))

  it('is a create of ours, with all that is used of it', () => {
    expect(requestIn({})).to.deep.equal({
      operation: 'CREATE',
      uid: 'uid-of-review',
      userInfo: ALICE,
      namespace: 'shop',
      dryRun: false,
      object: anExperiment(),
    })
  })

  it('is an update of ours, with what was stored', () => {
    const request = requestIn({ operation: 'UPDATE', oldObject: anExperiment({ replicas: 7 }) })
    const { operation: _create, ...create } = requestIn({})
    expect(request).to.deep.equal({ ...create, operation: 'UPDATE', oldObject: anExperiment({ replicas: 7 }) })
  })

  it('is of no subresource where that is the empty text', () =>
    expect(requestIn({ subResource: '' }).operation).to.equal('CREATE'))

  it('is a dry run only where it says so', () => {
    expect([true, 'true', undefined].map((dryRun) => requestIn({ dryRun }).dryRun)).to.deep.equal([true, false, false])
  })

  const { uid: _uid, ...WITHOUT_UID } = ALICE
  const NOBODY = { username: '', groups: [], extra: {} }
  const users: Record<string, readonly [userInfo: unknown, user: object]> = {
    'nobody, where it says nothing': [undefined, NOBODY],
    'nobody, where the name is no text: an authorizer would be asked about something else': [
      { username: ['root'], uid: 5, groups: 'system:masters', extra: 'x' },
      NOBODY,
    ],
    'somebody without a uid, where that is empty': [{ ...ALICE, uid: '' }, WITHOUT_UID],
    'somebody with those groups and extras that are texts': [
      { ...ALICE, groups: ['dev', 5, null], extra: { scopes: ['a', 1], odd: 'x' } },
      { ...ALICE, groups: ['dev'], extra: { scopes: ['a'], odd: [] } },
    ],
  }
  for (const [words, [userInfo, user]] of Object.entries(users))
    it(`is from ${words}`, () => expect(requestIn({ userInfo }).userInfo).to.deep.equal(user))
})
