import { expect } from 'chai'
import { droppedNulls, nullDropped } from '../../webhook/null-dropped.ts'

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
  'a null whose surroundings are gone': [() => wrote({ strategy: { rollingUpdate: null } }), 'strategy.rollingUpdate'],
  'a null in an item': [
    () => wrote({ containers: [{ name: 'cart', image: null }] }, { containers: [{ name: 'cart' }] }),
    'containers[0].image',
  ],
  'no null that was kept': [() => wrote({ minReadySeconds: null }, { minReadySeconds: null })],
  'no null that was given a value since': [() => wrote({ minReadySeconds: null }, { minReadySeconds: 3 })],
  'no null elsewhere': [() => droppedNulls(applied('{"spec":{"overrideSpec":{},"ttlSeconds":null}}'))],
  'nothing without the annotation': [() => droppedNulls({ spec: { overrideSpec: {} } })],
  'nothing of what is no text': [() => droppedNulls(applied({ a: null }))],
  'nothing of what is no JSON': [() => droppedNulls(applied('{"spec": null'))],
  'nothing of other JSON': [() => droppedNulls(applied('[null]'))],
  'nothing of a text that no annotation can hold': [() => wrote({ a: null, b: 'x'.repeat(256 * 1024) })],
  'what is 64 levels deep': [() => wrote(nested(64)), Array(64).fill('a').join('.')],
  'nothing deeper': [() => wrote(nested(65))],
  'nothing after 5,000 values': [
    () => wrote({ ...Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 1])), last: null }),
  ],
}

describe('nulls that kubectl dropped', () => {
  for (const [sentence, [found, ...expected]] of Object.entries(cases))
    it(`are ${sentence}`, () => expect(found()).to.deep.equal(expected))

  it('are at most twenty, whatever somebody wrote into the annotation', () => {
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`k${at}`, null]))
    expect(wrote({ ['x'.repeat(200_000)]: many })).to.have.length(20)
  })

  it('stop at a text that nests without end', () => {
    expect(droppedNulls(applied(`${'{"spec":'.repeat(20_000)}null${'}'.repeat(20_000)}`))).to.deep.equal([])
  })

  it('have their remedy', () => {
    expect(nullDropped('template.spec.affinity')).to.equal(
      'kubectl apply dropped template.spec.affinity: null; use kubectl apply --server-side',
    )
  })
})
