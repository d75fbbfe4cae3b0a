import { expect } from 'chai'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import type { AnalysisArms } from '../../../common/assess/analysis.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { ArmPodsReader } from '../../../controller/analysis/arm-pods.ts'
import { VirtualTime } from '../../virtual-time.ts'

const ARMS: AnalysisArms = {
  namespace: 'shop',
  providers: [],
  treatment: { workload: 'fork', selector: 'experiment-id=cd1aa1c99c' },
  control: { workload: 'cart', selector: 'app=cart,!experiment-id' },
}
const READY = { type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T12:00:05Z' }

interface PodOf {
  readonly metadata?: Partial<KubeObject['metadata']>
  readonly spec?: object
  readonly status?: object
}

const controlledBy = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: `uid-of-${name}`, controller: true }],
})

/** A pod of the fork, unless its metadata has other owners. */
const aPod = (name: string, { metadata, spec, status }: PodOf = {}) => ({
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-of-${name}`,
    creationTimestamp: '2026-11-21T12:00:00Z',
    ...controlledBy('ReplicaSet', 'fork-7d9f'),
    ...metadata,
  },
  ...(spec ? { spec } : {}),
  status: { conditions: [{ type: 'Initialized', status: 'True' }, READY], ...status },
})

/** An API server whose pods have the names of their selectors. */
function world() {
  const time = new VirtualTime()
  const requests: KubeRequest[] = []
  const cluster = { isFailing: false }
  const client = {
    request: async (request: KubeRequest) => {
      requests.push(request)
      if (cluster.isFailing) throw new KubeError({ kind: 'unreachable', message: 'no answer' })
      return { items: [aPod(String(request.query?.labelSelector))] }
    },
  }
  return { time, requests, cluster, pods: new ArmPodsReader(client, time) }
}

describe('the pods of arms', () => {
  it('are those of the source, too, where the control is the twin', async () => {
    const { pods } = world()
    const { source } = await pods.of({ ...ARMS, source: { workload: 'cart', selector: 'app=cart' } })
    expect(source?.map(({ name }) => name)).to.deep.equal(['app=cart'])
    expect(await pods.of(ARMS)).to.have.all.keys('treatment', 'control')
  })

  it('N29: are unknown where one of them is too large to be read', async () => {
    const large = { ...aPod('large'), [UNREAD]: 'it is longer than 1.5 MiB' }
    const client = { request: async () => ({ items: [aPod('cart'), large] }) }
    const error = await new ArmPodsReader(client, new VirtualTime()).of(ARMS).catch((error: unknown) => error)
    expect(error).to.include({ kind: 'unread', message: 'large is too large to be read: it is longer than 1.5 MiB' })
  })

  it('are none of a source that is not like the twin, which is not read', async () => {
    const { pods, requests } = world()
    const own = { workload: 'cart', selector: 'app=cart' }
    const { source } = await pods.of({ ...ARMS, source: own, isSourceOther: true })
    expect(source).to.deep.equal([])
    expect(requests).to.have.length(2)
  })

  it('are listed by the selector of each arm in their namespace, few at most, and none that has ended', async () => {
    const { pods, requests } = world()
    const found = await pods.of(ARMS)
    expect(found.treatment.map(({ name }) => name)).to.deep.equal(['experiment-id=cd1aa1c99c'])
    expect(found.control.map(({ name }) => name)).to.deep.equal(['app=cart,!experiment-id'])
    expect(requests).to.deep.equal(
      ['experiment-id=cd1aa1c99c', 'app=cart,!experiment-id'].map((labelSelector) => ({
        verb: 'list',
        path: '/api/v1/namespaces/shop/pods',
        query: { labelSelector, fieldSelector: 'status.phase!=Failed,status.phase!=Succeeded', limit: 100 },
        deadlineMs: 10_000,
      })),
    )
  })

  it('are listed once in ten seconds for all analyses of the same source', async () => {
    const { pods, requests, time } = world()
    const other = { ...ARMS, treatment: { workload: 'other', selector: 'experiment-id=other' } }
    await Promise.all([pods.of(ARMS), pods.of(other), pods.of(ARMS)])
    await time.pass(9_999)
    await pods.of(ARMS)
    expect(requests.map(({ query }) => query?.labelSelector)).to.deep.equal([
      'experiment-id=cd1aa1c99c',
      'app=cart,!experiment-id',
      'experiment-id=other',
    ])
    await time.pass(1)
    await pods.of(ARMS)
    expect(requests).to.have.length(5)
  })

  it('of another namespace are others', async () => {
    const { pods, requests } = world()
    await pods.of(ARMS)
    await pods.of({ ...ARMS, namespace: 'store' })
    expect(requests.slice(2).map(({ path }) => path)).to.deep.equal(Array(2).fill('/api/v1/namespaces/store/pods'))
  })

  it('are asked for again after a failure, which is thrown', async () => {
    const { pods, requests, cluster } = world()
    cluster.isFailing = true
    const thrown = await pods.of(ARMS).catch((error: unknown) => error)
    expect(thrown).to.be.instanceOf(KubeError)
    cluster.isFailing = false
    expect((await pods.of(ARMS)).control).to.have.length(1)
    expect(requests).to.have.length(4)
  })
})

describe('a pod, as an analysis sees it', () => {
  const listed = async (items: readonly unknown[]) =>
    (await new ArmPodsReader({ request: async () => ({ items }) }, new VirtualTime()).of(ARMS)).treatment
  const seen = async (of: PodOf = {}) => (await listed([aPod('cart-1', of)]))[0]
  const WAITING = { conditions: [{ ...READY, status: 'False' }] }

  it('has its name and uid, when it was created and became Ready, and no restarts', async () =>
    expect(await seen()).to.deep.equal({
      name: 'cart-1',
      uid: 'uid-of-cart-1',
      createdMs: Date.parse('2026-11-21T12:00:00Z'),
      readySinceMs: Date.parse('2026-11-21T12:00:05Z'),
      restarts: 0,
    }))

  for (const [sentence, status] of Object.entries({
    'is not Ready': WAITING,
    'has no such condition yet': { conditions: [] },
    'has no status yet': { conditions: undefined },
    'has a time that is none': { conditions: [{ ...READY, lastTransitionTime: 'now' }] },
  }))
    it(`has no time since when it was Ready while it ${sentence}`, async () =>
      expect(await seen({ status })).to.not.have.property('readySinceMs'))

  it('has the restarts of all its containers', async () => {
    const containerStatuses = [{ restartCount: 2 }, {}, { restartCount: 3 }]
    expect((await seen({ status: { containerStatuses } }))?.restarts).to.equal(5)
  })

  it('has the restarts of native sidecars, and not those of init containers that end', async () => {
    const spec = { initContainers: [{ name: 'wait' }, { name: 'proxy', restartPolicy: 'Always' }] }
    const initContainerStatuses = [
      { name: 'wait', restartCount: 4 },
      { name: 'proxy', restartCount: 6 },
    ]
    const containerStatuses = [{ name: 'cart', restartCount: 1 }]
    expect((await seen({ spec, status: { containerStatuses, initContainerStatuses } }))?.restarts).to.equal(7)
    expect((await seen({ spec, status: { initContainerStatuses } }))?.restarts).to.equal(6)
    expect((await seen({ status: { containerStatuses, initContainerStatuses } }))?.restarts).to.equal(1)
  })

  it('is none while it is being deleted', async () =>
    expect(await seen({ metadata: { deletionTimestamp: '2026-11-21T12:10:00Z' } })).to.equal(undefined))

  it('is one of at most 64, in the order of their names', async () => {
    const names = Array.from({ length: 70 }, (_, index) => `cart-${String(index).padStart(2, '0')}`)
    const found = await listed(names.toReversed().map((name) => aPod(name)))
    expect(found.map(({ name }) => name)).to.deep.equal(names.slice(0, 64))
  })

  it('leaves its place to another while it is being deleted', async () => {
    const names = Array.from({ length: 65 }, (_, index) => `cart-${String(index).padStart(2, '0')}`)
    const [first = '', ...others] = names
    const leaving = aPod(first, { metadata: { deletionTimestamp: '2026-11-21T12:10:00Z' } })
    const found = await listed([leaving, ...others.map((name) => aPod(name))])
    expect(found.map(({ name }) => name)).to.deep.equal(others)
  })

  const FOREIGN: Record<string, Partial<KubeObject['metadata']>> = {
    'has no controller': { ownerReferences: [] },
    'belongs to the source': controlledBy('ReplicaSet', 'cart-7d9f'),
    'belongs to a workload whose name only begins like that of the fork': controlledBy('StatefulSet', 'fork-2'),
    'belongs to a Deployment whose name only begins like that of the fork': controlledBy('ReplicaSet', 'fork-2-7d9f'),
    'belongs to a Job with its name': controlledBy('Job', 'fork-7d9f'),
  }
  for (const [sentence, metadata] of Object.entries(FOREIGN))
    it(`A36: is none of the fork if it has its labels, but ${sentence}`, async () => {
      const first = Array.from({ length: 64 }, (_, index) => aPod(`a-${index}`, { metadata }))
      expect((await listed([...first, aPod('fork-1')])).map(({ name }) => name)).to.deep.equal(['fork-1'])
    })

  it('is one of a fork that is a StatefulSet', async () =>
    expect(await seen({ metadata: controlledBy('StatefulSet', 'fork') })).to.have.property('name', 'cart-1'))

  const sourceHas = async (metadata: Partial<KubeObject['metadata']>) => {
    const request = async () => ({ items: [aPod('cart-1', { metadata })] })
    return (await new ArmPodsReader({ request }, new VirtualTime()).of(ARMS)).control.length === 1
  }
  it('A36: is one of the source only if a ReplicaSet or a StatefulSet controls it', async () => {
    for (const kind of ['ReplicaSet', 'StatefulSet'])
      expect(await sourceHas(controlledBy(kind, 'adopted'))).to.equal(true)
    expect(await sourceHas(controlledBy('Job', 'cart-7d9f'))).to.equal(false)
    expect(await sourceHas({ ownerReferences: [] })).to.equal(false)
  })

  it('A36: is one of a twin only if the twin controls it', async () => {
    const names = { 'fork-1': 'fork-7d9f', 'twin-1': 'twin-7d9f', 'cart-1': 'cart-7d9f' }
    const items = Object.entries(names).map(([pod, owner]) =>
      aPod(pod, { metadata: controlledBy('ReplicaSet', owner) }),
    )
    const reader = new ArmPodsReader({ request: async () => ({ items }) }, new VirtualTime())
    const twin = { workload: 'twin', selector: 'experiment-id=7a1b' }
    const found = await reader.of({ ...ARMS, control: twin, source: ARMS.control })
    expect(found.control.map(({ name }) => name)).to.deep.equal(['twin-1'])
    expect(found.source).to.have.length(3)
  })

  it('is not read from what is no object', async () => expect(await listed([null, 'cart-1', {}])).to.deep.equal([]))
})
