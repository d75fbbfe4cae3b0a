import { expect } from 'chai'
import fc from 'fast-check'
import type { KubeObject } from '../../../common/api/object.ts'
import { contentOf, cut, type EventInput, eventOf, regardingId } from '../../../controller/events/event.ts'
import '../../property.ts'
import { anExperiment } from '../../builders.ts'

const ORIGIN = { instance: 'pod-1', at: new Date('2026-08-01T12:00:00.123Z'), suffix: '800000000000' }
const { status: _status, ...experiment } = anExperiment()
const INPUT: EventInput = {
  type: 'Normal',
  reason: 'Available',
  action: 'Reconcile',
  note: 'ready',
  regarding: experiment as unknown as KubeObject,
}
const event = (of: Partial<EventInput> = {}, origin = ORIGIN): KubeObject =>
  JSON.parse(JSON.stringify(eventOf({ ...INPUT, ...of }, origin)))
const named = (name: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
})

describe('eventOf', () => {
  it('makes an Event of events.k8s.io/v1 with every required field', () =>
    expect(event({ related: named('cart-x', 'shop') })).to.deep.equal({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'faster-cart.800000000000', namespace: 'shop' },
      eventTime: '2026-08-01T12:00:00.123000Z',
      type: 'Normal',
      reason: 'Available',
      action: 'Reconcile',
      note: 'ready',
      reportingController: 'experimentcontroller.example.com/controller',
      reportingInstance: 'pod-1',
      regarding: {
        apiVersion: 'experimentcontroller.example.com/v1alpha1',
        kind: 'ExperimentDeployment',
        namespace: 'shop',
        name: 'faster-cart',
        uid: '5f0c1e9a-6b0e-4c1d-9a53-2f4f3d1b7a10',
        resourceVersion: '10',
      },
      related: { apiVersion: 'v1', kind: 'Node', namespace: 'shop', name: 'cart-x' },
    }))

  it('has no related object when there is none', () => expect(event()).to.not.have.property('related'))

  it('cuts texts to the bytes that the API server accepts', () => {
    const long = event(
      { note: 'ü'.repeat(1_000), reason: 'R'.repeat(200), action: 'A'.repeat(200) },
      { ...ORIGIN, instance: 'i'.repeat(200) },
    )
    const { note, reason, action, reportingInstance } = long
    expect([note, reason, action, reportingInstance].map((text) => String(text).length)).to.deep.equal([
      512, 128, 128, 128,
    ])
  })

  it('cuts the name of the object in its own name, and leaves a valid name', () => {
    const { name } = event({ regarding: named(`${'a'.repeat(199)}.${'b'.repeat(50)}`, 'shop') }).metadata
    expect(name).to.equal(`${'a'.repeat(199)}.800000000000`)
  })

  it('is in the namespace default for a cluster-scoped object', () =>
    expect(event({ regarding: named('node-1') }).metadata.namespace).to.equal('default'))
})

describe('the note of an Event', () => {
  it('N37b: has no control characters of others', () =>
    expect(event({ note: 'pods "a\u001b[2J" are forbidden\n\u202e' }).note).to.equal(
      'pods "a\\u001b[2J" are forbidden\\u000a\\u202e',
    ))
})

describe('cut', () => {
  it('returns the longest beginning of whole characters within the bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(30), (text, maxBytes) => {
        const short = cut(text, maxBytes)
        expect(Buffer.byteLength(short)).to.be.at.most(maxBytes)
        expect(text.startsWith(short)).to.equal(true)
        if (short !== text) expect(Buffer.byteLength(short)).to.be.at.least(maxBytes - 3)
      }),
    )
  })
})

describe('the content of an Event', () => {
  const others = {
    'another type': { ...INPUT, type: 'Warning' },
    'another reason': { ...INPUT, reason: 'Other' },
    'another action': { ...INPUT, action: 'Delete' },
    'another note': { ...INPUT, note: 'other' },
    'another object': { ...INPUT, regarding: named('other') },
    'a related object': { ...INPUT, related: named('other') },
  } as const
  for (const [what, other] of Object.entries(others))
    it(`is not the same with ${what}`, () => expect(contentOf(other)).to.not.equal(contentOf(INPUT)))

  it('is the same with a newer version of the object', () => {
    const { metadata, ...object } = INPUT.regarding
    const newer = { ...INPUT, regarding: { ...object, metadata: { ...metadata, resourceVersion: '8' } } }
    expect(contentOf(newer)).to.equal(contentOf(INPUT))
  })
})

describe('the identity of an object', () => {
  it('is its uid, or its kind and name if it has none', () => {
    const object = named('a')
    const withUid = { ...object, metadata: { name: 'a', uid: 'u1' } }
    expect([withUid, object].map(regardingId)).to.deep.equal(['u1', 'Node//a'])
  })
})
