import { expect } from 'chai'
import { EXPERIMENT_ID, GATE, REVISION } from '../../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import { ForkPods, type PodView, podView } from '../../../controller/indexes/fork-pods.ts'
import { FORK } from '../../builders.ts'

const condition = (type: string, status = 'True') => ({ type, status })

interface PodOf {
  readonly name?: string
  readonly kind?: string
  readonly owner?: string
  readonly id?: string
  readonly gates?: unknown
}

function aPod(of: PodOf) {
  const { name = `${FORK}-6d4b75cb6d-x7k2p`, owner = `${FORK}-6d4b75cb6d`, id = FORK.slice(-10) } = of
  const { kind = 'ReplicaSet', gates = [{ conditionType: 'example.com/other' }, { conditionType: GATE }] } = of
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: 'uid',
      labels: { [EXPERIMENT_ID]: id },
      annotations: { [REVISION]: '0123456789' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind, name: owner, uid: 'set', controller: true }],
    },
    spec: { readinessGates: gates },
    status: { conditions: [condition('ContainersReady'), condition(GATE, 'False'), condition('Ready', 'False')] },
  } as KubeObject
}

describe('the view of a pod', () => {
  it('has what the gate needs to know', () =>
    expect(podView(aPod({}))).to.deep.equal({
      fork: FORK,
      name: `${FORK}-6d4b75cb6d-x7k2p`,
      uid: 'uid',
      revision: '0123456789',
      hasReadyContainers: true,
      isOpen: false,
      isReady: false,
      isBeingDeleted: false,
    }))

  for (const gate of ['target-health.elbv2.k8s.aws/k8s-shop-cart-8e4c', 'cloud.google.com/load-balancer-neg-ready'])
    it(`says that a load balancer has the gate ${gate} in the pod`, () => {
      const gates = [{ conditionType: GATE }, { conditionType: gate }]
      expect(podView(aPod({ gates }))?.isBalanced).to.equal(true)
    })

  it('is there for a pod of a StatefulSet', () =>
    expect(podView(aPod({ name: `${FORK}-0`, owner: FORK, kind: 'StatefulSet' }))?.fork).to.equal(FORK))

  it('N2: is there for a pod without our gate, which gets requests as soon as it is ready', () => {
    const { isUngated: _gated, ...gated } = podView(aPod({})) as PodView
    for (const gates of [null, [{ conditionType: 'example.com/other' }]])
      expect(podView(aPod({ gates }))).to.deep.equal({ ...gated, isOpen: true, isUngated: true })
  })

  it('N2: is not there for a pod that has ended, which its workload controller may keep', () => {
    for (const phase of ['Failed', 'Succeeded'])
      for (const pod of [aPod({ gates: null }), aPod({})])
        expect(podView({ ...pod, status: { phase } })).to.equal(undefined)
  })

  it('N2: is not there for a pod that belongs to an object of another kind with the name of the fork', () => {
    for (const owner of [FORK, `${FORK}-x`])
      expect(podView(aPod({ kind: 'ConfigMap', owner, gates: null }))).to.equal(undefined)
  })

  it('N6: has the time of its creation', () => {
    const { metadata, ...pod } = aPod({})
    const createdAt = '2026-11-21T10:00:00Z'
    expect(podView({ ...pod, metadata: { ...metadata, creationTimestamp: createdAt } })?.createdAt).to.equal(createdAt)
  })

  it('N29: takes the place of an open pod where it is too large to be read, if its name and label are of a fork', () => {
    const unread = (name: string) => {
      const { metadata } = aPod({ name })
      return podView({ apiVersion: 'v1', kind: 'Pod', metadata, [UNREAD]: 'it is longer than 1.5 MiB' })
    }
    expect(unread(`${FORK}-6d4b75cb6d-x7k2p`)).to.include({ fork: FORK, uid: 'uid', isOpen: true, isReady: false })
    expect(unread('cart-6d4b75cb6d-x7k2p')).to.equal(undefined)
  })

  const NOT_OURS = {
    'with the name of no fork': aPod({ name: 'cart-6d4b75cb6d-x7k2p' }),
    'that another workload controls': aPod({ owner: 'cart-6d4b75cb6d' }),
    'with the label of another experiment': aPod({ id: '0000000000' }),
  }
  for (const [what, pod] of Object.entries(NOT_OURS))
    it(`is none for a pod ${what}`, () => expect(podView(pod)).to.equal(undefined))

  it('is none for a pod that nothing controls: anybody may create it', () => {
    const { metadata, ...pod } = aPod({})
    const { ownerReferences: _none, ...bare } = metadata
    expect(podView({ ...pod, metadata: bare })).to.equal(undefined)
  })
})

describe('the pods of forks', () => {
  const view = (name: string, of: Partial<PodView> = {}): PodView => ({
    ...(podView(aPod({ name: `${FORK}-${name}` })) as PodView),
    ...of,
  })

  it('are found by their fork, until they are gone', () => {
    const pods = new ForkPods()
    const [a, b] = [view('a'), view('b')]
    expect(pods.update({ is: 'added', key: 'shop/a', after: a })).to.equal(`shop/${FORK}`)
    pods.update({ is: 'added', key: 'shop/b', after: b })
    pods.update({ is: 'added', key: 'store/a', after: a })
    expect(pods.of('shop', FORK)).to.deep.equal([a, b])
    const opened = view('a', { isOpen: true })
    pods.update({ is: 'updated', key: 'shop/a', before: a, after: opened })
    expect(pods.of('shop', FORK)).to.deep.equal([opened, b])
    pods.update({ is: 'deleted', key: 'shop/a', before: opened })
    pods.update({ is: 'deleted', key: 'shop/b', before: b })
    expect(pods.of('shop', FORK)).to.deep.equal([])
    expect(pods.of('store', FORK)).to.deep.equal([a])
  })
})
