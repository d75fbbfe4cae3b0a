import { expect } from 'chai'
import { decodeStatus, unsoundInStatus } from '../../../common/api/decode-status.ts'

const CONDITION = { type: 'Ready', status: 'True', reason: 'Available', message: 'ok', lastTransitionTime: 'now' }
const SOURCE = { uid: 'u', generation: 1, templateHash: 'abc' }
const REF = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x', namespace: 'shop', uid: 'u', generation: 1 }
const SERVICE = { name: 'cart', selected: true, experimentEndpoints: 1, readyEndpoints: 12 }

/** A whole status, as the controller writes it. */
const STATUS = {
  observedGeneration: 2,
  conditions: [{ ...CONDITION, observedGeneration: 2 }],
  experimentResourceRef: REF,
  replicas: 1,
  readyReplicas: 1,
  selector: 'a=b',
  source: { ...SOURCE, revision: '7', base: 'v1', pinned: true },
  services: [{ ...SERVICE, share: '8%', reason: 'Selected', message: 'shared' }],
  warnings: [{ reason: 'QueueWorker', message: 'text' }],
  sourceName: 'Deployment/cart',
  share: '8%',
  image: 'cart:1',
  pods: '1/1',
  aloneSince: '2026-11-21T09:00:00Z',
  changes: 'containers[cart].image',
  expiresAt: '2026-11-21T10:00:00Z',
  violatedPolicies: ['limits'],
}

describe('decodeStatus', () => {
  it('returns a whole status as it is', () => expect(decodeStatus(STATUS)).to.deep.equal(STATUS))

  for (const [what, value] of Object.entries({ undefined, null: null, 'a list': [STATUS], 'a text': 'Ready' }))
    it(`returns undefined for ${what}`, () => expect(decodeStatus(value)).to.equal(undefined))

  it('returns undefined when no member is left', () => {
    expect(decodeStatus({})).to.equal(undefined)
    expect(decodeStatus({ replicas: 'one' })).to.equal(undefined)
  })

  it('takes optional members of nested objects as optional', () => {
    const status = { conditions: [CONDITION], source: SOURCE, services: [SERVICE] }
    expect(decodeStatus(status)).to.deep.equal(status)
  })

  it('takes null for absent in what an analysis run says, and for a mistake in all else', () => {
    const analysis = {
      run: null,
      verdict: 'Wait',
      reason: 'r',
      message: 'm',
      since: '2026-11-21T14:05:00Z',
      attempt: 1,
    }
    expect(decodeStatus({ analysis, source: { ...SOURCE, revision: null } })).to.deep.equal({ analysis })
    expect(decodeStatus({ analysis: { ...analysis, attempt: 0 }, image: null })).to.equal(undefined)
  })

  const dropped: Readonly<Record<string, object>> = {
    'a number that is a text': { replicas: '1' },
    'a text that is a number': { share: 8 },
    'conditions that are no list': { conditions: CONDITION },
    'conditions with one that has no reason': { conditions: [CONDITION, { ...CONDITION, reason: undefined }] },
    'a source without uid': { source: { generation: 1, templateHash: 'abc' } },
    'a source that is pinned by a text': { source: { ...SOURCE, pinned: 'true' } },
    'a reference to the fork without generation': { experimentResourceRef: { ...REF, generation: undefined } },
    'a Service whose endpoints are no number': { services: [{ ...SERVICE, readyEndpoints: '12' }] },
    'a warning that is a text': { warnings: ['QueueWorker'] },
    'an unknown member': { phase: 'Running' },
    'a name that every object inherits': { toString: 'x', constructor: 'y' },
  }
  for (const [what, members] of Object.entries(dropped))
    it(`leaves out ${what}, and keeps the other members`, () =>
      expect(decodeStatus({ ...members, image: 'cart:1' })).to.deep.equal({ image: 'cart:1' }))
})

describe('what of a status is not as the API says', () => {
  it('is nothing in a whole status, in none, and in members that this version does not know', () => {
    for (const status of [STATUS, undefined, null, {}, { ...STATUS, later: 1 }])
      expect(unsoundInStatus(status)).to.deep.equal([])
  })

  it('is the first mistake in each member that is left out', () =>
    expect(
      unsoundInStatus({
        ...STATUS,
        share: 8,
        conditions: [{ ...CONDITION, reason: 1 }],
        analysis: { verdict: 'x' },
      }).map(({ field }) => field),
    ).to.deep.equal(['status.conditions[0].reason', 'status.share', 'status.analysis.verdict']))

  it('is all of a status that is no object', () =>
    expect(unsoundInStatus('Ready')).to.deep.equal([{ field: 'status', message: 'must be an object' }]))
})
