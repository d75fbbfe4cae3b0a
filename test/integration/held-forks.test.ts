import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { aSource, DEADLINE_MS, forkOf, hasEndpoints, usesProduct } from './product.ts'
import { asUser, granted } from './users.ts'

const HERS = { metadata: { finalizers: ['example.com/hers'] } }
const EDITOR = 'held-editor'
const REPLICA_SETS = { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' }

/** A minute for the pods, a minute for the finalizer, and two sweeps. */
const GONE_MS = 2 * 60_000 + 2 * DEADLINE_MS

describe('forks that a finalizer of an editor keeps, on the real control plane', function () {
  this.timeout(2 * GONE_MS)
  const place = usesProduct()
  before('she may edit the namespace', () => granted(EDITOR, 'edit', place().namespace))

  const edits = async (what: string, patch: object) => {
    const change = ['patch', what, '--type=merge', '-p', JSON.stringify(patch)]
    expect(await asUser(EDITOR, ['-n', place().namespace, ...change])).to.contain('patched')
  }
  const podsOf = async (owner: string): Promise<readonly KubeObject[]> =>
    (await place().api.list(place().path('pods'))).filter(({ metadata: { name } }) => name.startsWith(`${owner}-`))
  const hasPods = (owner: string, count: number, withinMs = DEADLINE_MS) =>
    eventually(`${count} pods of ${owner}`, withinMs, async () => expect(await podsOf(owner)).to.have.length(count))
  const isGone = (fork: string) =>
    eventually(`${fork} to be gone`, GONE_MS, async () => {
      const found = await place().api.list(place().path('deployments'))
      expect(found.map(({ metadata: { name } }) => name)).to.not.include(fork)
    })
  const events = async (about: string) => {
    const all = await place().api.list(resourcePath(RESOURCES.Event, { namespace: place().namespace }))
    return all.filter((event) => at(event, 'regarding', 'name') === about).map((event) => String(event.reason))
  }

  /** An experiment with a fork that has a pod. */
  async function running(name: string, of: object = {}): Promise<string> {
    await aSource(place(), name)
    await hasEndpoints(place(), name, 1)
    await place().experiment(`try-${name}`, { source: name, ...of })
    const fork = forkOf(await place().reaches(`try-${name}`, 'Available'))
    await hasPods(fork, 1)
    return fork
  }

  it('N36: Kubernetes keeps the pods of a workload that is being deleted, also when it is scaled to 0 then', async () => {
    await aSource(place(), 'plain')
    await hasPods('plain', 1)
    const path = place().path('deployments', 'plain')
    await place().api.patch(path, HERS)
    await place().api.delete(path)
    await place().api.patch(path, { spec: { replicas: 0 } })
    const seen = await eventually('the Deployment to be observed', DEADLINE_MS, async () => {
      const found = await place().deployment('plain')
      expect(at(found, 'status', 'observedGeneration')).to.equal(found.metadata.generation)
      return found
    })
    expect([at(seen, 'spec', 'replicas'), (await podsOf('plain')).length]).to.deep.equal([0, 1])
    await place().api.patch(path, { metadata: { finalizers: [] } })
  })

  it('N36: loses its pods when its experiment expires, although its ReplicaSet has one too, and then goes', async () => {
    const fork = await running('over')
    await edits(`deployment/${fork}`, HERS)
    const [set] = (await place().api.list(resourcePath(REPLICA_SETS, { namespace: place().namespace }))).filter(
      ({ metadata }) => metadata.name.startsWith(`${fork}-`),
    )
    await edits(`replicaset/${set?.metadata.name}`, HERS)
    await edits('expd/try-over', { spec: { ttlSeconds: 1 } })
    await hasPods(fork, 0)
    const held = await place().shows(
      'try-over',
      'what keeps the fork',
      ({ status }) => status?.warnings?.some(({ reason }) => reason === 'HeldByFinalizer') === true,
    )
    expect(held.status?.experimentResourceRef?.name).to.equal(fork)
    await isGone(fork)
    expect(await podsOf(fork)).to.deep.equal([])
    await eventually('the Event', DEADLINE_MS, async () =>
      expect(await events('try-over')).to.include.members(['Expired', 'HeldByFinalizer']),
    )
    await edits(`replicaset/${set?.metadata.name}`, { metadata: { finalizers: [] } })
  })

  it('N36: goes with its pods a minute after garbage collection has deleted it', async () => {
    const fork = await running('gone')
    await edits(`deployment/${fork}`, HERS)
    const { code } = await place().kubectl([`--as=${EDITOR}`, 'delete', 'expd/try-gone', '--wait=false'])
    expect(code).to.equal(0)
    await eventually('the Event', GONE_MS, async () => expect(await events(fork)).to.include('HeldByFinalizer'))
    await isGone(fork)
    await hasPods(fork, 0)
  })
})
