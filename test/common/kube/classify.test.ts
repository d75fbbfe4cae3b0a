import { expect } from 'chai'
import { type Answer, classify } from '../../../common/kube/classify.ts'
import type { Failure } from '../../../common/kube/errors.ts'
import { askedBy } from '../../../common/kube/resources.ts'

const CART = '/apis/apps/v1/namespaces/shop/deployments/cart'
const ROLLOUTS = '/apis/argoproj.io/v1alpha1/rollouts'

interface Case {
  readonly path?: string
  readonly answer: Answer
  readonly is: Partial<Failure>
}

const status = (status: number, fields: object = {}): Answer => ({ status, body: { kind: 'Status', ...fields } })

const cases: Record<string, Case> = {
  '404 that names the object asked for is the proof of absence': {
    answer: status(404, { reason: 'NotFound', details: { name: 'cart', kind: 'deployments', group: 'apps' } }),
    is: { kind: 'notFound', reason: 'NotFound' },
  },
  '404 about another name proves nothing': {
    answer: status(404, { reason: 'NotFound', details: { name: 'other', kind: 'deployments' } }),
    is: { kind: 'kindAbsent' },
  },
  '404 of the namespace means that all in it goes': {
    answer: status(404, { details: { name: 'shop', kind: 'namespaces' } }),
    is: { kind: 'terminating' },
  },
  '404 of a namespace that bears the name of the object is still about the namespace': {
    path: '/apis/apps/v1/namespaces/cart/deployments/cart',
    answer: status(404, { details: { name: 'cart', kind: 'namespaces' } }),
    is: { kind: 'terminating' },
  },
  '404 of a namespace that was itself asked for is its absence': {
    path: '/api/v1/namespaces/shop',
    answer: status(404, { details: { name: 'shop', kind: 'namespaces' } }),
    is: { kind: 'notFound' },
  },
  '404 without a Status may be an absent kind': {
    path: ROLLOUTS,
    answer: { status: 404, body: undefined },
    is: { kind: 'kindAbsent' },
  },
  '404 for a core kind is somebody else speaking': {
    path: '/api/v1/services',
    answer: { status: 404, body: undefined },
    is: { kind: 'unreachable' },
  },
  '409 AlreadyExists is a name that is taken': {
    answer: status(409, { reason: 'AlreadyExists' }),
    is: { kind: 'alreadyExists' },
  },
  '409 Conflict asks to observe again': { answer: status(409, { reason: 'Conflict' }), is: { kind: 'conflict' } },
  '422 about metadata.uid is about a replaced object': {
    answer: status(422, { reason: 'Invalid', details: { causes: [{ field: 'metadata.uid' }] } }),
    is: { kind: 'conflict' },
  },
  '422 about anything else never passes': {
    answer: status(422, { reason: 'Invalid', details: { causes: [{ field: 'spec.replicas' }] } }),
    is: { kind: 'invalid', causes: [{ field: 'spec.replicas', message: '', reason: '' }] },
  },
  '410 asks for a new list': { answer: status(410, { reason: 'Expired' }), is: { kind: 'gone' } },
  '410 counts without a Status too': { answer: { status: 410, body: undefined }, is: { kind: 'gone' } },
  '403 in RBAC’s words is about rights': {
    answer: status(403, {
      message: 'deployments.apps is forbidden: User "system:serviceaccount:a:b" cannot patch resource',
    }),
    is: { kind: 'forbidden', forbiddenBy: 'rights' },
  },
  '403 in other words is about admission': {
    answer: status(403, { message: 'exceeded quota: pods, requested: 1, used: 5, limited: 5' }),
    is: { kind: 'forbidden', forbiddenBy: 'admission' },
  },
  '403 because the namespace is terminating is no matter of rights': {
    answer: status(403, { details: { causes: [{ reason: 'NamespaceTerminating' }] } }),
    is: { kind: 'terminating' },
  },
  '403 of a proxy says nothing about our rights': {
    answer: { status: 403, body: undefined },
    is: { kind: 'unreachable' },
  },
  '400 never passes': { answer: status(400, { reason: 'BadRequest' }), is: { kind: 'invalid' } },
  '413 never passes, whoever says so': { answer: { status: 413, body: undefined }, is: { kind: 'invalid' } },
  '415 never passes': { answer: status(415), is: { kind: 'invalid' } },
  '500 is apply’s answer to an unknown field': {
    answer: status(500, { message: 'failed to create typed patch object (shop/cart; apps/v1, Kind=Deployment): …' }),
    is: { kind: 'invalid' },
  },
  '500 with a reason is the server’s fault': {
    answer: status(500, { reason: 'InternalError', message: 'failed calling webhook' }),
    is: { kind: 'server' },
  },
  '500 without a Status is somebody in between': {
    answer: { status: 500, body: undefined },
    is: { kind: 'unreachable' },
  },
  '429 tells when to come back': {
    answer: { ...status(429), retryAfter: '7' },
    is: { kind: 'throttled', retryAfterMs: 7_000 },
  },
  'a Status can tell when to come back as well': {
    answer: status(503, { details: { retryAfterSeconds: 3 } }),
    is: { kind: 'server', retryAfterMs: 3_000 },
  },
  'a Retry-After that is a date is not understood': {
    answer: { ...status(429), retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' },
    is: { kind: 'throttled' },
  },
  '401, the second in a row, is no answer': { answer: status(401), is: { kind: 'unreachable' } },
  '504 with a Status is the server’s': { answer: status(504, { reason: 'Timeout' }), is: { kind: 'server' } },
  '200 with HTML is no answer': { answer: { status: 200, body: undefined }, is: { kind: 'unreachable' } },
  'a redirect is no answer': { answer: { status: 301, body: undefined }, is: { kind: 'unreachable' } },
  'a Status of wrong types is taken as empty': {
    answer: status(422, { reason: 7, message: null, details: { causes: 'many' } }),
    is: { kind: 'invalid', reason: '', causes: [] },
  },
}

describe('classify', () => {
  for (const [sentence, { path = CART, answer, is }] of Object.entries(cases))
    it(sentence, () => {
      expect(classify(answer, askedBy(path))).to.deep.include(is)
    })

  it('names no forbidder and no wait where there is none', () => {
    expect(classify(status(409), askedBy(CART))).to.not.have.any.keys('forbiddenBy', 'retryAfterMs')
  })
})
