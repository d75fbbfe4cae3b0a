import { expect } from 'chai'
import { inheritedMetadata, isDroppedKey, PER_POD_LABELS } from '../../../common/api/template-metadata.ts'

describe('isDroppedKey', () => {
  const dropped = [
    ...PER_POD_LABELS,
    'kubectl.kubernetes.io/last-applied-configuration',
    'kubectl.kubernetes.io/restartedAt',
    'argocd.argoproj.io/tracking-id',
    'meta.helm.sh/release-name',
    'kapp.k14s.io/identity',
    'flaggerized',
    'olm.owner',
    'batch.kubernetes.io/job-name',
  ]
  for (const key of dropped) it(`drops ${key}`, () => expect(isDroppedKey(key)).to.equal(true))

  const kept = [
    'app',
    'app.kubernetes.io/name',
    'kapp.k14s.io/app',
    'kapp.k14s.io/association',
    'kubectl.kubernetes.io/default-container',
    'pod-template-hash-of-mine',
    'my.olm.owner',
  ]
  for (const key of kept) it(`keeps ${key}`, () => expect(isDroppedKey(key)).to.equal(false))
})

describe('inheritedMetadata', () => {
  it('drops labels and annotations by the same list', () => {
    const metadata = {
      name: 'cart',
      labels: { app: 'cart', 'pod-template-hash': '5c6b' },
      annotations: { note: 'x', 'argocd.argoproj.io/sync-wave': '1' },
    }
    expect(inheritedMetadata(metadata)).to.deep.equal({ labels: { app: 'cart' }, annotations: { note: 'x' } })
  })

  it('returns empty maps for a template without metadata', () =>
    expect(inheritedMetadata(undefined)).to.deep.equal({ labels: {}, annotations: {} }))
})
