import { expect } from 'chai'
import fc from 'fast-check'
import { EXPERIMENT_ID } from '../../../../common/api/names.ts'
import { UNREAD } from '../../../../common/api/object.ts'
import { MetadataScan } from '../../../../common/kube/client/metadata-scan.ts'
import { piecesOf } from './pieces.ts'
import '../../../property.ts'

const METADATA = {
  name: 'cart',
  namespace: 'shop',
  uid: 'u1',
  resourceVersion: '7',
  deletionTimestamp: '2026-11-28T00:00:00Z',
}
const LABELS = { [EXPERIMENT_ID]: 'cd1aa1c99c', 'kubernetes.io/service-name': 'cart' }

/** What is found in `value`, in pieces that end at `cuts`. */
function scanned(value: object, { start = 'object', cuts = [] }: { start?: 'object' | 'event'; cuts?: number[] } = {}) {
  const scan = new MetadataScan(start)
  for (const piece of piecesOf(Buffer.from(JSON.stringify(value)), cuts)) scan.add(piece)
  return { type: scan.type, object: scan.object('it is too large') }
}

const found = (metadata: object, labels: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { ...metadata, labels },
  [UNREAD]: 'it is too large',
})

describe('the scan of the bytes of an object', () => {
  const of = { apiVersion: 'apps/v1', kind: 'Deployment' }

  it('finds what it is called, its version, its deletion and the labels of forks', () => {
    const metadata = { annotations: { name: 'x' }, labels: { app: 'cart', ...LABELS }, ...METADATA }
    expect(scanned({ ...of, metadata })).to.deep.equal({ type: undefined, object: found(METADATA, LABELS) })
  })

  it('finds the same in an event, with the type of that', () => {
    const event = { type: 'DELETED', object: { ...of, metadata: METADATA }, metadata: { name: 'other' } }
    expect(scanned(event, { start: 'event' })).to.deep.equal({ type: 'DELETED', object: found(METADATA) })
  })

  const { name, ...unnamed } = METADATA
  const decoys: Record<string, object> = {
    'in its spec': { spec: { metadata: { name: 'other' }, name: 'other', kind: 'Pod' }, metadata: METADATA },
    'in a list': { spec: [{ metadata: { name: 'other' } }, 'metadata', { name: 'other' }], metadata: METADATA },
    'after its metadata': { metadata: METADATA, status: { name: 'other', metadata: { name: 'other' } } },
    'deeper in its metadata': { metadata: { ...METADATA, ownerReferences: [{ name: 'other', uid: 'u2' }] } },
    'in a text': { spec: '"metadata":{"name":"other"}', metadata: METADATA },
    'under a key that is too long to be kept': { metadata: METADATA, ['x'.repeat(2_000)]: { name: 'other' } },
    'as an escaped text': { metadata: { ...unnamed, note: '\\","name":"other', name } },
  }
  for (const [where, value] of Object.entries(decoys))
    it(`is not misled by names ${where}`, () => {
      expect(scanned({ ...of, ...value }).object).to.deep.equal(found(METADATA))
    })

  it('finds the same wherever the pieces end', () => {
    const value = fc.record({ spec: fc.jsonValue({ maxDepth: 3 }), note: fc.string({ unit: 'binary' }) })
    fc.assert(
      fc.property(value, fc.array(fc.nat()), ({ spec, note }, cuts) => {
        const metadata = { labels: { ...LABELS, note }, ...METADATA, generateName: note }
        expect(scanned({ spec, ...of, metadata, status: spec }, { cuts }).object).to.deep.equal(found(METADATA, LABELS))
      }),
    )
  })
})
