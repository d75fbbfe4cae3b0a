import { expect } from 'chai'
import { classify, type FailedResponse } from '../../../../common/kube/client/classify.ts'
import type { Failure } from '../../../../common/kube/client/errors.ts'
import { parsePath } from '../../../../common/kube/client/resources.ts'

const CART = '/apis/apps/v1/namespaces/shop/deployments/cart'
const ROLLOUTS = '/apis/argoproj.io/v1alpha1/rollouts'

interface Case {
  readonly path?: string
  readonly answer: FailedResponse
  readonly is: Partial<Failure>
}

const status = (status: number, fields: object = {}): FailedResponse => ({
  status,
  body: { kind: 'Status', ...fields },
})

const cases: Record<string, Case> = {
  '404 with the name of the requested object is notFound': {
    answer: status(404, { reason: 'NotFound', details: { name: 'cart', kind: 'deployments', group: 'apps' } }),
    is: { kind: 'notFound', reason: 'NotFound' },
  },
  '404 with another name is only a suspicion: kindAbsent': {
    answer: status(404, { reason: 'NotFound', details: { name: 'other', kind: 'deployments' } }),
    is: { kind: 'kindAbsent' },
  },
  '404 about the namespace of the object is terminating': {
    answer: status(404, { details: { name: 'shop', kind: 'namespaces' } }),
    is: { kind: 'terminating' },
  },
  '404 about a namespace with the name of the object is terminating': {
    path: '/apis/apps/v1/namespaces/cart/deployments/cart',
    answer: status(404, { details: { name: 'cart', kind: 'namespaces' } }),
    is: { kind: 'terminating' },
  },
  '404 about a namespace that was itself requested is notFound': {
    path: '/api/v1/namespaces/shop',
    answer: status(404, { details: { name: 'shop', kind: 'namespaces' } }),
    is: { kind: 'notFound' },
  },
  '404 without a Status is a suspicion: kindAbsent': {
    path: ROLLOUTS,
    answer: { status: 404, body: undefined },
    is: { kind: 'kindAbsent' },
  },
  '404 without a Status for a core kind is unreachable: it cannot come from the API server': {
    path: '/api/v1/services',
    answer: { status: 404, body: undefined },
    is: { kind: 'unreachable' },
  },
  '409 AlreadyExists is alreadyExists': {
    answer: status(409, { reason: 'AlreadyExists' }),
    is: { kind: 'alreadyExists' },
  },
  '409 Conflict is conflict': {
    answer: status(409, { reason: 'Conflict' }),
    is: { kind: 'conflict', conflictOver: 'object' },
  },
  '409 of a quota that another request has just changed is a conflict over an object': {
    answer: status(409, { reason: 'Conflict', details: { name: 'tight', kind: 'resourcequotas' } }),
    is: { kind: 'conflict', conflictOver: 'object' },
  },
  '409 of an apply that meets another field manager is a conflict over fields': {
    answer: status(409, {
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.spec.replicas' }] },
    }),
    is: { kind: 'conflict', conflictOver: 'fields' },
  },
  '422 about metadata.uid is conflict: the object was replaced': {
    answer: status(422, { reason: 'Invalid', details: { causes: [{ field: 'metadata.uid' }] } }),
    is: { kind: 'conflict', conflictOver: 'object' },
  },
  '422 about another field is invalid': {
    answer: status(422, { reason: 'Invalid', details: { causes: [{ field: 'spec.replicas' }] } }),
    is: { kind: 'invalid' },
  },
  '422 about a JSON patch that could not be applied is conflict: the object has changed': {
    answer: status(422, {
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    }),
    is: { kind: 'conflict', conflictOver: 'object' },
  },
  '422 by an admission policy is invalid': {
    answer: status(422, {
      reason: 'Invalid',
      message:
        "deployments.apps \"cart\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no",
    }),
    is: { kind: 'invalid' },
  },
  '410 is gone': { answer: status(410, { reason: 'Expired' }), is: { kind: 'gone' } },
  '410 without a Status is gone': { answer: { status: 410, body: undefined }, is: { kind: 'gone' } },
  '403 with the message of RBAC is about rights': {
    answer: status(403, {
      message: 'deployments.apps is forbidden: User "system:serviceaccount:a:b" cannot patch resource',
    }),
    is: { kind: 'forbidden', forbiddenBy: 'rights' },
  },
  '403 with another message is about admission': {
    answer: status(403, { message: 'exceeded quota: pods, requested: 1, used: 5, limited: 5' }),
    is: { kind: 'forbidden', forbiddenBy: 'admission' },
  },
  '403 of a webhook with the words of RBAC is about admission': {
    answer: status(403, { message: 'admission webhook "a.example" denied the request: User "ada" cannot do that' }),
    is: { kind: 'forbidden', forbiddenBy: 'admission' },
  },
  '403 because the namespace is terminating is terminating': {
    answer: status(403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
    is: { kind: 'terminating' },
  },
  '403 without a Status is unreachable: a proxy may have sent it': {
    answer: { status: 403, body: undefined },
    is: { kind: 'unreachable' },
  },
  '400 is invalid': { answer: status(400, { reason: 'BadRequest' }), is: { kind: 'invalid' } },
  '413 is invalid, also without a Status': { answer: { status: 413, body: undefined }, is: { kind: 'invalid' } },
  '415 is invalid': { answer: status(415), is: { kind: 'invalid' } },
  '500 about a typed patch object is invalid: an apply has an unknown field': {
    answer: status(500, { message: 'failed to create typed patch object (shop/cart; apps/v1, Kind=Deployment): …' }),
    is: { kind: 'invalid' },
  },
  '500 with a reason is server': {
    answer: status(500, { reason: 'InternalError', message: 'failed calling webhook' }),
    is: { kind: 'server' },
  },
  '500 without a Status is unreachable': {
    answer: { status: 500, body: undefined },
    is: { kind: 'unreachable' },
  },
  '429 is throttled, with the wait of its header': {
    answer: { ...status(429), retryAfter: '7' },
    is: { kind: 'throttled', retryAfterMs: 7_000 },
  },
  '503 with a Status is server, with the wait of the Status': {
    answer: status(503, { details: { retryAfterSeconds: 3 } }),
    is: { kind: 'server', retryAfterMs: 3_000 },
  },
  '503 of a proxy that asks for an hour: half a minute': {
    answer: { status: 503, body: undefined, retryAfter: '3600' },
    is: { kind: 'unreachable', retryAfterMs: 30_000 },
  },
  'a Retry-After that is a date is ignored': {
    answer: { ...status(429), retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    is: { kind: 'throttled' },
  },
  '401 is unreachable: the client has already tried new credentials': {
    answer: status(401),
    is: { kind: 'unreachable' },
  },
  '504 with a Status is server': { answer: status(504, { reason: 'Timeout' }), is: { kind: 'server' } },
  '200 with HTML is unreachable': { answer: { status: 200, body: undefined }, is: { kind: 'unreachable' } },
  'a redirect is unreachable': { answer: { status: 301, body: undefined }, is: { kind: 'unreachable' } },
  'a Status with wrong types counts as empty': {
    answer: status(422, { reason: 7, message: null, details: { causes: 'many' } }),
    is: { kind: 'invalid', reason: '' },
  },
}

describe('classify', () => {
  for (const code of [401, 404, 408, 409, 410, 429])
    it(`takes ${code} for a denial if an admission webhook has chosen it`, () => {
      const message = 'admission webhook "usages.crossplane.io" denied the request: in use by 1 usage'
      const details = { name: 'cart', kind: 'deployments' }
      expect(classify(status(code, { reason: 'Conflict', message, details }), parsePath(CART))).to.deep.include({
        kind: 'forbidden',
        forbiddenBy: 'admission',
      })
      const quoted = status(code, { message: `no: ${message}` })
      expect(classify(quoted, parsePath(CART)).kind, 'within another message').not.to.equal('forbidden')
    })

  for (const [sentence, { path = CART, answer, is }] of Object.entries(cases))
    it(sentence, () => {
      expect(classify(answer, parsePath(path))).to.deep.include(is)
    })

  it('sets forbiddenBy, conflictOver and retryAfterMs only where they apply', () => {
    expect(classify(status(409), parsePath(CART))).to.not.have.any.keys('forbiddenBy', 'retryAfterMs')
    expect(classify(status(422), parsePath(CART))).to.not.have.any.keys('forbiddenBy', 'conflictOver')
  })
  it('keeps what the API server says about each mistake', () => {
    const causes = [{ field: 'spec.replicas', message: 'too many', reason: 'x' }, { message: 7 }]
    expect(classify(status(422, { details: { causes } }), parsePath(CART)).causes).to.deep.equal([
      { field: 'spec.replicas', message: 'too many' },
      { field: '', message: '' },
    ])
    expect(classify(status(422), parsePath(CART))).to.not.have.any.keys('causes')
  })
})
