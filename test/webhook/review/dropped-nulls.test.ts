import { expect } from 'chai'
import { droppedNulls, nullDropped, nullWarnings } from '../../../webhook/review/dropped-nulls.ts'
import { aRequest } from '../reviews.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
const applied = (text: unknown, overrideSpec: unknown = {}) => ({
  metadata: { annotations: { [ANNOTATION]: text } },
  spec: { overrideSpec },
})
const wrote = (written: unknown, stored: unknown = {}) =>
  droppedNulls(applied(JSON.stringify({ spec: { overrideSpec: written } }), stored))
const nested = (depth: number): unknown => (depth === 0 ? null : { a: nested(depth - 1) })

const cases: Record<string, readonly [found: () => readonly string[], ...expected: string[]]> = {
  'a null that is gone': [
    () => wrote({ template: { spec: { affinity: null } } }, { template: { spec: {} } }),
    'template.spec.affinity',
  ],
  'a null whose parent is gone': [() => wrote({ strategy: { rollingUpdate: null } }), 'strategy.rollingUpdate'],
  'a null in an item': [
    () => wrote({ containers: [{ name: 'cart', image: null }] }, { containers: [{ name: 'cart' }] }),
    'containers[0].image',
  ],
  'no null that was kept': [() => wrote({ minReadySeconds: null }, { minReadySeconds: null })],
  'no null that has a value now': [() => wrote({ minReadySeconds: null }, { minReadySeconds: 3 })],
  'no null outside the override': [() => droppedNulls(applied('{"spec":{"overrideSpec":{},"ttlSeconds":null}}'))],
  'nothing without the annotation': [() => droppedNulls({ spec: { overrideSpec: {} } })],
  'nothing if the annotation is not a string': [() => droppedNulls(applied({ a: null }))],
  'nothing if it is not JSON': [() => droppedNulls(applied('{"spec": null'))],
  'nothing if it is not a JSON object': [() => droppedNulls(applied('[null]'))],
  'nothing where it is longer than an annotation can be': [() => wrote({ a: null, b: 'x'.repeat(256 * 1024) })],
  'those 64 levels deep': [() => wrote(nested(64)), Array(64).fill('a').join('.')],
  'nothing deeper': [() => wrote(nested(65))],
  'nothing after 5,000 values': [
    () => wrote({ ...Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 1])), last: null }),
  ],
}

describe('the nulls that kubectl dropped', () => {
  for (const [sentence, [found, ...expected]] of Object.entries(cases))
    it(`are ${sentence}`, () => expect(found()).to.deep.equal(expected))

  it('are at most twenty, whatever the annotation holds', () => {
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`k${at}`, null]))
    expect(wrote({ ['x'.repeat(200_000)]: many })).to.have.length(20)
  })

  it('are none where the annotation nests very deeply', () => {
    expect(droppedNulls(applied(`${'{"spec":'.repeat(20_000)}null${'}'.repeat(20_000)}`))).to.deep.equal([])
  })

  it('are reported with their remedy', () => {
    expect(nullDropped('template.spec.affinity')).to.deep.equal({
      reason: 'NullDropped',
      message: 'kubectl apply dropped template.spec.affinity: null; use kubectl apply --server-side',
    })
  })
})

describe('the warnings about nulls', () => {
  const withPromotion = (promotion?: unknown) => ({ spec: { overrideSpec: {}, promotion } })
  const said = (object: object, oldObject?: object) =>
    nullWarnings(aRequest({ object: { ...object }, ...(oldObject && { oldObject: { ...oldObject } }) }))

  it('N9: say that a promotion became null, and what to write', () => {
    const message = 'spec.promotion is null, which is no promotion; for one write its mode, such as {mode: Manual}'
    const told = [{ reason: 'PromotionIsNull', message }]
    expect(said(withPromotion(null), withPromotion({ mode: 'Automatic' }))).to.deep.equal(told)
    expect(said(withPromotion(null), withPromotion())).to.deep.equal(told)
    expect(said(withPromotion(null))).to.deep.equal(told)
  })

  it('N9: say it once, and nothing of a promotion that is there or absent', () => {
    expect(said(withPromotion(null), withPromotion(null))).to.deep.equal([])
    expect(said(withPromotion({ mode: 'Manual' }), withPromotion(null))).to.deep.equal([])
    expect(said(withPromotion(), withPromotion({ mode: 'Manual' }))).to.deep.equal([])
  })

  it('name what kubectl dropped', () => {
    const object = applied(JSON.stringify({ spec: { overrideSpec: { paused: null } } }))
    expect(said(object).map(({ reason }) => reason)).to.deep.equal(['NullDropped'])
  })
})

describe('a null that kubectl dropped', () => {
  it('is not a null that was kept, at any depth', () => {
    const kept = { template: { spec: { affinity: null, containers: [{ name: 'cart', image: null }] } } }
    expect(wrote(kept, kept)).to.deep.equal([])
  })

  it('is reported, and one that was kept in the same list is not', () => {
    const [written, stored] = [{ list: [{ a: null }, { a: null }] }, { list: [{ a: null }, {}] }]
    expect(wrote(written, stored)).to.deep.equal(['list[1].a'])
  })

  it('is not looked for in an override that is not an object', () => {
    for (const written of [null, 'null', [null]]) expect(wrote(written, {})).to.deep.equal([])
  })

  it('is found among 5,000 values, and not after them', () => {
    const among = (count: number) => ({
      ...Object.fromEntries(Array.from({ length: count - 1 }, (_, index) => [`k${index}`, 1])),
      last: null,
    })
    expect(wrote(among(5_000), {})).to.deep.equal(['last'])
    expect(wrote(among(5_001), {})).to.deep.equal([])
  })
})
