import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aSource, DEADLINE_MS, forkOf, usesProduct } from './product.ts'

describe('a fork and its source, on the real control plane', () => {
  const place = usesProduct()
  const replicaSets = (): Promise<readonly KubeObject[]> =>
    place().api.list(`/apis/apps/v1/namespaces/${place().namespace}/replicasets`)
  const ownedBy = async (uid: string | undefined) =>
    (await replicaSets()).filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))

  it('count their own pods only, and the fork adopts nothing', async () => {
    await aSource(place(), 'counted', { replicas: 2 })
    await place().experiment('beside', { source: 'counted', overrideSpec: imageOverride('registry.example/cart:2') })
    const fork = await place().deployment(forkOf(await place().reaches('beside', 'Available')))
    // an orphan with the labels of the source: a workload whose selector matches them may adopt it
    const labels = { app: 'counted', stray: 'yes' }
    const spec = { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] }
    await place().api.create(place().path('pods'), { metadata: { name: 'stray', labels }, spec })
    await eventually('the stray pod to be ready, as one that everybody has seen', DEADLINE_MS, async () =>
      expect(at(await place().api.get(place().path('pods', 'stray')), 'status', 'phase')).to.equal('Running'),
    )
    await eventually('the source to have its pods, and no other', DEADLINE_MS, async () => {
      const { status } = await place().deployment('counted')
      expect([at(status, 'replicas'), at(status, 'readyReplicas')]).to.deep.equal([2, 2])
    })
    expect(await ownedBy(fork.metadata.uid)).to.have.length(1)
    const stray = await place().api.get(place().path('pods', 'stray'))
    expect(stray.metadata.ownerReferences).to.equal(undefined)
  })

  it('An orphaned fork is left alone', async () => {
    await aSource(place(), 'left')
    await place().experiment('leaving', { source: 'left' })
    const fork = await place().deployment(forkOf(await place().reaches('leaving', 'Available')))
    const { code } = await place().kubectl(['delete', 'expd', 'leaving', '--cascade=orphan'])
    expect(code).to.equal(0)
    await eventually('the fork to be nobody’s', DEADLINE_MS, async () => {
      const { metadata } = await place().deployment(fork.metadata.name)
      expect(metadata.ownerReferences ?? []).to.deep.equal([])
    })
    await place().api.patch(place().path('deployments', fork.metadata.name), { spec: { replicas: 2 } })
    await place().experiment('leaving', { source: 'left' })
    const another = forkOf(await place().reaches('leaving', 'Available'))
    expect(another).not.to.equal(fork.metadata.name)
    expect(await place().deployment(fork.metadata.name)).to.have.nested.property('spec.replicas', 2)
  })

  it('are mixed when the fork is orphaned: the source adopts its ReplicaSet, and the experiment creates another fork', async () => {
    await aSource(place(), 'taking')
    await place().experiment('taken', { source: 'taking', overrideSpec: imageOverride('registry.example/cart:2') })
    const before = await place().reaches('taken', 'Available')
    const fork = await place().deployment(forkOf(before))
    const source = await place().deployment('taking')
    const { code } = await place().kubectl(['delete', 'deployment', forkOf(before), '--cascade=orphan'])
    expect(code).to.equal(0)
    await eventually('the source to adopt the orphan at 0', DEADLINE_MS, async () => {
      const adopted = (await ownedBy(source.metadata.uid)).filter(({ metadata }) =>
        metadata.name.startsWith(fork.metadata.name),
      )
      expect(adopted.map((each) => at(each, 'spec', 'replicas'))).to.deep.equal([0])
    })
    const isAnother = (uid: string | undefined) => uid !== undefined && uid !== fork.metadata.uid
    await place().shows('taken', 'another fork', ({ status }) => isAnother(status?.experimentResourceRef?.uid))
    await place().reaches('taken', 'Available')
  })
})
