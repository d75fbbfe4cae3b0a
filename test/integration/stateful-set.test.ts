import { expect } from 'chai'
import { at, type JsonObject } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { condition, DEADLINE_MS, forkOf, imagesOf, installation, usesProduct } from './product.ts'

const claimTemplates = (storage: string): JsonObject[] => [
  {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
  },
]

describe('a StatefulSet, on the real control plane', () => {
  const place = usesProduct()

  async function aStatefulSet(name: string, spec: JsonObject = {}): Promise<void> {
    const labels = { app: name }
    const pod = { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] }
    await place().api.create(place().path('services'), {
      metadata: { name },
      spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] },
    })
    await place().api.create(place().path('statefulSets'), {
      metadata: { name },
      spec: {
        replicas: 1,
        serviceName: name,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: pod },
        ...spec,
      },
    })
  }
  const forked = (name: string, source: string, overrideSpec: JsonObject = {}) =>
    place().experiment(name, { source, kind: 'StatefulSet', overrideSpec })
  const stored = async (name: string) =>
    place().api.get(place().path('statefulSets', forkOf(await place().experimentAt(name))))
  const override = (name: string, overrideSpec: JsonObject) =>
    place().api.patch(place().path('experiments', name), { spec: { overrideSpec } })

  it('A broken fork recovers when its override is corrected', async () => {
    await aStatefulSet('fragile')
    await forked('mended', 'fragile', imageOverride('registry.example/cart:broken'))
    await place().reaches('mended', 'PodsNotReady')
    await override('mended', imageOverride('registry.example/cart:2'))
    await place().reaches('mended', 'Available')
  })

  it("A source's partition does not hold it back", async () => {
    await aStatefulSet('parted', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 9 } } })
    await forked('whole', 'parted')
    await place().reaches('whole', 'Available')
    const template = { spec: { containers: [{ name: 'cart', image: 'registry.example/cart:7' }] } }
    await place().api.patch(place().path('statefulSets', 'parted'), { spec: { template } })
    await eventually('the fork’s pod to have the new image', DEADLINE_MS, async () => {
      const { selector = '' } = (await place().experimentAt('whole')).status ?? {}
      const pods = await place().api.list(`${place().path('pods')}?labelSelector=${encodeURIComponent(selector)}`)
      expect(pods.map((pod) => imagesOf({ ...pod, spec: { template: pod } }))).to.deep.equal([
        ['registry.example/cart:7'],
      ])
    })
    await place().reaches('whole', 'Available')
  })

  it('A changed volumeClaimTemplate is refused at admission', async () => {
    await aStatefulSet('claimed', { volumeClaimTemplates: claimTemplates('1Gi') })
    await forked('fixed', 'claimed')
    await place().shows('fixed', 'a fork', ({ status }) => status?.experimentResourceRef !== undefined)
    const patch = JSON.stringify({ spec: { overrideSpec: { volumeClaimTemplates: claimTemplates('2Gi') } } })
    const { code, text } = await place().kubectl(['patch', 'expd', 'fixed', '--type=merge', '-p', patch])
    expect(code).to.equal(1)
    expect(text).to.contain('spec.overrideSpec.volumeClaimTemplates: immutable for StatefulSets')
  })

  it('A changed revisionHistoryLimit is taken, as by the API server', async () => {
    await aStatefulSet('remembered')
    await forked('remembering', 'remembered')
    await place().reaches('remembering', 'Available')
    await override('remembering', { revisionHistoryLimit: 3 })
    await place().reaches('remembering', 'Available')
    expect(at((await stored('remembering')).spec, 'revisionHistoryLimit')).to.equal(3)
  })

  it('If it bypasses admission it is ImmutableFieldChanged, and the fork stays', async () => {
    await aStatefulSet('sealed', { volumeClaimTemplates: claimTemplates('1Gi') })
    await forked('slipped', 'sealed')
    await place().shows('slipped', 'a fork', ({ status }) => status?.experimentResourceRef !== undefined)
    const before = await stored('slipped')
    const { removeWebhooks, restoreWebhooks } = await installation()
    await removeWebhooks()
    await override('slipped', { volumeClaimTemplates: claimTemplates('2Gi') }).finally(restoreWebhooks)
    const stalled = await place().reaches('slipped', 'ImmutableFieldChanged')
    expect(condition(stalled, 'Stalled')?.status).to.equal('True')
    expect((await stored('slipped')).metadata.uid).to.equal(before.metadata.uid)
  })

  it('A 60-character source still gets pods', async () => {
    const name = `s${'o'.repeat(47)}ng`
    await aStatefulSet(`${name}${'x'.repeat(2)}`)
    await forked('short', `${name}${'x'.repeat(2)}`)
    await place().reaches('short', 'Available')
  })

  it('If a fork is orphaned, the source adopts its ControllerRevision', async () => {
    await aStatefulSet('taker')
    await forked('parting', 'taker', imageOverride('registry.example/cart:9'))
    const fork = forkOf(await place().reaches('parting', 'Available'))
    const { metadata } = await place().api.get(place().path('statefulSets', 'taker'))
    // delete the experiment first, or it would create another fork, which would adopt them again
    expect((await place().kubectl(['delete', 'expd', 'parting', '--cascade=orphan'])).code).to.equal(0)
    expect((await place().kubectl(['delete', 'statefulset', fork, '--cascade=orphan'])).code).to.equal(0)
    let looks = 0
    await eventually('the source to own the revision of the fork', DEADLINE_MS, async () => {
      // its controller looks for orphans only when it reconciles the set, and may not have seen this one yet
      const annotations = { look: `${looks++}` }
      await place().api.patch(place().path('statefulSets', 'taker'), { metadata: { annotations } })
      const revisions = await place().api.list(`/apis/apps/v1/namespaces/${place().namespace}/controllerrevisions`)
      const ofFork = revisions.filter((revision) => revision.metadata.name.startsWith(fork))
      const owners = ofFork.map((revision) => revision.metadata.ownerReferences?.map(({ uid }) => uid))
      expect(owners).to.deep.equal([[metadata.uid]])
    })
    expect((await place().api.get(place().path('statefulSets', 'taker'))).metadata.generation).to.equal(1)
  })

  it('The fork is deleted when its experiment expires', async () => {
    await aStatefulSet('lasting')
    await forked('short-lived', 'lasting')
    const fork = forkOf(await place().reaches('short-lived', 'Available'))
    await place().api.patch(place().path('experiments', 'short-lived'), { spec: { ttlSeconds: 1 } })
    await place().reaches('short-lived', 'Expired')
    await eventually('the fork to be gone', DEADLINE_MS, async () => {
      const sets = (await place().api.list(place().path('statefulSets'))).map(({ metadata }) => metadata.name)
      expect(sets).to.include('lasting')
      expect(sets).not.to.include(fork)
    })
  })

  it('Deleting the experiment removes fork and claims', async () => {
    await aStatefulSet('tidy', { volumeClaimTemplates: claimTemplates('1Gi') })
    await forked('brief', 'tidy')
    const { status } = await place().shows(
      'brief',
      'a fork',
      (found) => found.status?.experimentResourceRef !== undefined,
    )
    const fork = status?.experimentResourceRef?.name ?? ''
    const claims = async () =>
      (await place().api.list(place().path('claims'))).filter(({ metadata }) => metadata.name.includes(fork))
    // Kubernetes sets the owner of a claim in a later write than its creation: between the two, it is not garbage
    // collected
    await eventually('the fork’s claim, with its owner', DEADLINE_MS, async () =>
      expect(
        (await claims()).map(({ metadata }) => [metadata.name, metadata.ownerReferences?.map(({ name }) => name)]),
      ).to.deep.equal([[`data-${fork}-0`, [fork]]]),
    )
    await place().api.delete(place().path('experiments', 'brief'))
    await eventually('fork and claim to be gone', DEADLINE_MS, async () => {
      expect(await claims()).to.deep.equal([])
      const sets = (await place().api.list(place().path('statefulSets'))).map(({ metadata }) => metadata.name)
      expect(sets).not.to.include(fork)
    })
  })
})
