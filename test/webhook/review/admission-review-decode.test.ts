import { expect } from 'chai'
import { decodeReview } from '../../../webhook/review/admission-review.ts'
import { anExperiment } from '../../builders.ts'
import { ALICE, aReview } from '../reviews.ts'

const EXPECTED = 'expected an AdmissionReview of admission.k8s.io/v1'
const { resource } = aReview().request

/** The request in a review of our kind. */
function requestIn(given: object) {
  const review = decodeReview(aReview(given))
  if (review.is !== 'ours') throw new Error(`not ours: ${JSON.stringify(review)}`)
  return review.request
}

describe('the body of a review', () => {
  const cases: Record<string, readonly [body: unknown, review: object]> = {
    'is not a review if it has another kind': [
      { ...aReview(), kind: 'Review' },
      { is: 'unreadable', message: EXPECTED },
    ],
    'is not a review if it has another version': [
      { ...aReview(), apiVersion: 'admission.k8s.io/v1beta1' },
      { is: 'unreadable', message: EXPECTED },
    ],
    'cannot be answered without a uid': [aReview({ uid: '' }), { is: 'unreadable', message: 'request.uid: required' }],
    'cannot be answered if the uid is not a string': [
      aReview({ uid: 5 }),
      { is: 'unreadable', message: 'request.uid: required' },
    ],
    'is passed where another group has a kind of that name': [
      aReview({ resource: { ...resource, group: 'example.org' } }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'is passed for another kind of our group': [
      aReview({ resource: { ...resource, resource: 'experimentreports' } }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'is passed for a status': [aReview({ subResource: 'status' }), { is: 'foreign', uid: 'uid-of-review' }],
    'is passed without an object': [aReview({ object: null }), { is: 'foreign', uid: 'uid-of-review' }],
    'is passed as an update without a stored object': [
      aReview({ operation: 'UPDATE' }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'is passed as a DELETE': [
      aReview({ operation: 'DELETE', oldObject: anExperiment() }),
      { is: 'foreign', uid: 'uid-of-review' },
    ],
    'has an unknown version, with its name': [
      aReview({ resource: { ...resource, version: 'v9' } }),
      { is: 'unknownVersion', uid: 'uid-of-review', version: 'v9' },
    ],
    'has the version "unknown" if that is not a string': [
      aReview({ resource: { ...resource, version: 9 } }),
      { is: 'unknownVersion', uid: 'uid-of-review', version: 'unknown' },
    ],
  }
  for (const [sentence, [body, review]] of Object.entries(cases))
    it(sentence, () => expect(decodeReview(body)).to.deep.equal(review))

  it('is decoded as a create, with every member that is used', () => {
    expect(requestIn({})).to.deep.equal({
      operation: 'CREATE',
      uid: 'uid-of-review',
      resource: 'experimentdeployments',
      userInfo: ALICE,
      namespace: 'shop',
      dryRun: false,
      object: anExperiment(),
    })
  })

  it('S10: is decoded for a policy too', () =>
    expect(requestIn({ resource: { ...resource, resource: 'experimentpolicies' }, namespace: undefined })).to.include({
      operation: 'CREATE',
      namespace: '',
      resource: 'experimentpolicies',
    }))

  it('is decoded as an update, with the stored object', () => {
    const request = requestIn({ operation: 'UPDATE', oldObject: anExperiment({ replicas: 7 }) })
    const { operation: _create, ...create } = requestIn({})
    expect(request).to.deep.equal({ ...create, operation: 'UPDATE', oldObject: anExperiment({ replicas: 7 }) })
  })

  it('is about the resource itself if subResource is the empty string', () =>
    expect(requestIn({ subResource: '' }).operation).to.equal('CREATE'))

  it('is a dry run only if dryRun is true', () => {
    expect([true, 'true', undefined].map((dryRun) => requestIn({ dryRun }).dryRun)).to.deep.equal([true, false, false])
  })

  const { uid: _uid, ...WITHOUT_UID } = ALICE
  const NOBODY = { username: '', groups: [], extra: {} }
  const users: Record<string, readonly [userInfo: unknown, user: object]> = {
    'no user, if there is no userInfo': [undefined, NOBODY],
    'no user, if the name is not a string, because the authorizer would check another name': [
      { username: ['root'], uid: 5, groups: 'system:masters', extra: 'x' },
      NOBODY,
    ],
    'a user without a uid, if that is empty': [{ ...ALICE, uid: '' }, WITHOUT_UID],
    'a user with the groups and extras that are strings': [
      { ...ALICE, groups: ['dev', 5, null], extra: { scopes: ['a', 1], odd: 'x' } },
      { ...ALICE, groups: ['dev'], extra: { scopes: ['a'], odd: [] } },
    ],
  }
  for (const [words, [userInfo, user]] of Object.entries(users))
    it(`comes from ${words}`, () => expect(requestIn({ userInfo }).userInfo).to.deep.equal(user))
})
