import { expect } from 'chai'
import { forkName } from '../../../common/workload/identity.ts'
import { ExperimentIndex } from '../../../controller/indexes/experiment-index.ts'
import { anExperiment, FORK } from '../../builders.ts'

const NEAR = anExperiment()
const FAR = anExperiment({
  metadata: { name: 'far', namespace: 'lab', uid: 'far' },
  sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'shop' },
})
const FAR_FORK = forkName('cart', 'far')

function indexed() {
  const index = new ExperimentIndex()
  index.add('shop/faster-cart', NEAR)
  index.add('lab/far', FAR)
  return index
}

describe('the index of experiments', () => {
  it('finds the experiments of a source, from every namespace', () => {
    const index = indexed()
    expect([...index.ofSource('Deployment/shop/cart')]).to.deep.equal(['shop/faster-cart', 'lab/far'])
    expect([...index.ofSource('StatefulSet/shop/cart')]).to.deep.equal([])
    expect(index.sourceOf(FAR)).to.equal('Deployment/shop/cart')
  })

  it('N52: finds an experiment by its uid, until it is gone', () => {
    const index = indexed()
    expect([...index.ofUid('far')]).to.deep.equal(['lab/far'])
    index.remove('lab/far', FAR)
    expect([...index.ofUid('far')]).to.deep.equal([])
  })

  it('finds the experiment of a fork', () => {
    const index = indexed()
    expect([...index.ofFork(`Deployment/shop/${FORK}`)]).to.deep.equal(['shop/faster-cart'])
    expect([...index.ofFork(`Deployment/shop/${FAR_FORK}`)]).to.deep.equal(['lab/far'])
    expect([...index.ofFork(`Deployment/lab/${FAR_FORK}`)]).to.deep.equal([])
  })

  it('knows whether a fork has an experiment, by kind, namespace and name', () => {
    const index = indexed()
    const hasFork = (kind: string, namespace: string) => index.hasFork(kind, { metadata: { namespace, name: FORK } })
    expect([hasFork('Deployment', 'shop'), hasFork('StatefulSet', 'shop'), hasFork('Deployment', 'lab')]).to.deep.equal(
      [true, false, false],
    )
  })

  for (const [what, pod] of Object.entries({
    'a Deployment or Rollout': `${FORK}-7d9f-x2x4z`,
    'a StatefulSet': `${FORK}-0`,
  }))
    it(`finds the experiment of a pod of ${what} by the name of the pod`, () =>
      expect(indexed().ofPod('shop', pod)).to.deep.equal(['shop/faster-cart']))

  it('finds no experiment for a pod of the source, or in another namespace', () => {
    expect(indexed().ofPod('shop', 'cart-7d9f-x2x4z')).to.deep.equal([])
    expect(indexed().ofPod('lab', `${FORK}-0`)).to.deep.equal([])
  })

  it('distinguishes the namespace of the experiment from that of its source', () => {
    const index = indexed()
    expect([...index.withForkIn('shop')]).to.deep.equal(['shop/faster-cart', 'lab/far'])
    expect([...index.withForkIn('lab')]).to.deep.equal([])
    expect([...index.inNamespace('lab')]).to.deep.equal(['lab/far'])
    expect(['shop', 'lab', 'store'].map((namespace) => index.isUsedNamespace(namespace))).to.deep.equal([
      true,
      true,
      false,
    ])
  })

  it('P3: tells which experiments depend on the pods of others, and orders the rest by age', () => {
    const index = new ExperimentIndex()
    const ready = (reason: string) => [
      { type: 'Ready', status: 'False', reason, message: '', observedGeneration: 1, lastTransitionTime: '' } as const,
    ]
    const all = {
      'shop/older': { creationTimestamp: '2026-11-21T10:00:00Z', status: { conditions: ready('Updating') } },
      'shop/newer': { creationTimestamp: '2026-11-21T10:00:01Z', status: {} },
      'shop/waiting': { creationTimestamp: '2026-11-21T10:00:02Z', status: { conditions: ready('PolicyDenied') } },
      'shop/alone': { creationTimestamp: '2026-11-21T10:00:03Z', status: { aloneSince: '2026-11-21T10:00:03Z' } },
    }
    for (const [key, { creationTimestamp, status }] of Object.entries(all))
      index.add(key, anExperiment({ metadata: { creationTimestamp }, status }))
    expect(index.byUrgency(Object.keys(all))).to.deep.equal({
      urgent: ['shop/waiting', 'shop/alone'],
      others: ['shop/newer', 'shop/older'],
    })
  })

  it('forgets an experiment that was removed, and only that one', () => {
    const index = indexed()
    index.remove('shop/faster-cart', NEAR)
    expect(['shop/faster-cart', 'lab/far'].map((key) => index.has(key))).to.deep.equal([false, true])
    expect([...index.ofSource('Deployment/shop/cart')]).to.deep.equal(['lab/far'])
    expect([...index.ofFork(`Deployment/shop/${FORK}`)]).to.deep.equal([])
    index.remove('lab/far', FAR)
    expect(index.isUsedNamespace('shop')).to.equal(false)
  })

  it('holds an experiment once although it is added twice', () => {
    const index = indexed()
    index.add('shop/faster-cart', NEAR)
    index.remove('shop/faster-cart', NEAR)
    expect([...index.withForkIn('shop')]).to.deep.equal(['lab/far'])
  })
})
