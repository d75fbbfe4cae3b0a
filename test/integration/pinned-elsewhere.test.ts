import { expect } from 'chai'
import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { type Base, baseHash } from '../../common/fork/base.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { aNamespace } from './fixture.ts'
import { aSource, DEADLINE_MS, forkOf, imagesOf, installation, type Place, placeIn, usesProduct } from './product.ts'
import { asUser, granted } from './users.ts'

describe('S: the pinned base of a source in another namespace, on the real control plane', () => {
  const place = usesProduct()
  let stock: Place
  let fork = ''
  const policy = () => resourcePath(EXPERIMENT_POLICY, { name: `pinned-${stock.namespace}` })
  const revisions = (namespace: string) => `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`

  before('a pinned experiment on a shared source with a literal password', async function () {
    this.timeout(3 * DEADLINE_MS)
    stock = await placeIn(await aNamespace())
    await stock.api.apply(policy(), {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: `pinned-${stock.namespace}` },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stock.namespace } },
        allowSourcesFrom: [place().namespace],
      },
    })
    const env = [{ name: 'PASSWORD', value: 'hunter2' }]
    await aSource(stock, 'cart', { pod: { containers: [{ name: 'cart', image: 'registry.example/cart:1', env }] } })
    await granted('viewer-here', 'view', place().namespace)
    await granted('owner-here', 'cluster-admin', place().namespace)
    await eventually('consent', DEADLINE_MS, () =>
      place().experiment('pinned', { source: 'cart', of: stock.namespace, onSourceChange: 'Pin' }),
    )
    fork = forkOf(await place().reaches('pinned', 'Available'))
  })
  after('no policy is left for other suites', () => stock.api.delete(policy()))

  const inStock = async (): Promise<readonly string[]> =>
    (await stock.api.list(revisions(stock.namespace))).map(({ metadata }) => metadata.name)
  const gone = () =>
    eventually('neither fork nor base to be left', DEADLINE_MS, async () => {
      expect(await inStock()).to.not.include(fork)
      const forks = (await stock.api.list(stock.path('deployments'))).map(({ metadata }) => metadata.name)
      expect(forks).to.not.include(fork)
    })

  it('S: is read by nobody who may read only the namespace of the experiment', async () => {
    const base = JSON.stringify(await stock.api.get(`${revisions(stock.namespace)}/${fork}`))
    expect(base).to.contain('hunter2')
    const all = ['get', 'controllerrevisions', '--output=yaml']
    expect(await asUser('viewer-here', ['-n', place().namespace, ...all])).to.not.contain('hunter2')
    expect(await asUser('viewer-here', ['-n', stock.namespace, ...all])).to.contain('forbidden')
  })

  it('S: is forged by nobody, also if somebody may write everything in the namespace of the experiment', async () => {
    const owner = (args: readonly string[], input?: object) =>
      asUser('owner-here', ['-n', place().namespace, ...args], input)
    const real = await stock.api.get<KubeObject & { readonly data: JsonObject }>(
      `${revisions(stock.namespace)}/${fork}`,
    )
    const data = JSON.parse(JSON.stringify(real.data).replaceAll('cart:1', 'evil:1')) as { readonly base: Base }
    const { apiVersion, kind } = real
    const { uid, name } = (await place().experimentAt('pinned')).metadata
    const controller = { apiVersion: EXPERIMENT_POLICY.apiVersion, kind: 'ExperimentDeployment', controller: true }
    const metadata = { name: fork, labels: real.metadata.labels, ownerReferences: [{ ...controller, uid, name }] }
    await owner(['delete', `controllerrevision/${fork}`])
    expect(await owner(['create', '-f', '-'], { apiVersion, kind, metadata, revision: 1, data })).to.contain('created')
    const status = { source: { templateHash: baseHash(data.base), generation: 7 } }
    const patch = ['patch', 'expd/pinned', '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]
    expect(await owner(patch)).to.contain('the controller writes the status of experiments')
    // it would not help either
    await place().api.patch(`${place().path('experiments', 'pinned')}/status`, { status })
    await place().reaches('pinned', 'PinnedBaseLost')
    expect(imagesOf(await stock.deployment(fork))).to.deep.equal(['registry.example/cart:1'])
    await place().api.delete(`${revisions(place().namespace)}/${fork}`)
    for (const onSourceChange of ['Follow', 'Pin']) {
      await place().api.patch(place().path('experiments', 'pinned'), { spec: { onSourceChange } })
      await place().reaches('pinned', 'Available')
    }
  })

  it('keeps the fork as it started, and goes with an experiment that follows its source again', async () => {
    const change = (onSourceChange: string) =>
      place().api.patch(place().path('experiments', 'pinned'), { spec: { onSourceChange } })
    await stock.api.patch(stock.path('deployments', 'cart'), { spec: imageOverride('registry.example/cart:2') })
    await place().api.patch(place().path('experiments', 'pinned'), { spec: { overrideSpec: { minReadySeconds: 1 } } })
    await place().reaches('pinned', 'Available')
    expect(imagesOf(await stock.deployment(fork))).to.deep.equal(['registry.example/cart:1'])
    await change('Follow')
    await eventually('the base to be gone', DEADLINE_MS, async () => expect(await inStock()).to.not.include(fork))
    await place().reaches('pinned', 'Available')
    expect(imagesOf(await stock.deployment(fork))).to.deep.equal(['registry.example/cart:2'])
    await change('Pin')
    await eventually('another base', DEADLINE_MS, async () => expect(await inStock()).to.include(fork))
  })

  it('is deleted with its experiment', async () => {
    await place().api.delete(place().path('experiments', 'pinned'))
    await gone()
  })

  it('is not adopted by a fork that is a StatefulSet, which keeps revisions of its own', async () => {
    const labels = { app: 'set' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'registry.example/c:1' }] } }
    const spec = { replicas: 1, selector: { matchLabels: labels }, template }
    await stock.api.create(stock.path('statefulSets'), { metadata: { name: 'set' }, spec })
    const of = { source: 'set', kind: 'StatefulSet', of: stock.namespace, onSourceChange: 'Pin' }
    await place().experiment('set', of)
    const name = forkOf(await place().reaches('set', 'Available'))
    // the controller of StatefulSets has looked at the revisions of the namespace again
    await place().api.patch(place().path('experiments', 'set'), { spec: { replicas: 2 } })
    await place().reaches('set', 'Available')
    const { metadata } = await stock.api.get<KubeObject>(`${revisions(stock.namespace)}/${name}`)
    expect(metadata.ownerReferences ?? []).to.deep.equal([])
    await place().api.delete(place().path('experiments', 'set'))
    await eventually('the base to be gone', DEADLINE_MS, async () => expect(await inStock()).to.not.include(name))
  })

  it('is deleted with the fork if somebody removed the finalizer before the deletion', async () => {
    await place().experiment('pinned', { source: 'cart', of: stock.namespace, onSourceChange: 'Pin' })
    fork = forkOf(await place().reaches('pinned', 'Available'))
    const { controller, startController } = await installation()
    await controller().stop('SIGKILL')
    await place().api.delete(place().path('experiments', 'pinned'))
    await place().api.patch(place().path('experiments', 'pinned'), { metadata: { finalizers: [] } })
    await startController()
    await gone()
  })
})
