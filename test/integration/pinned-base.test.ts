import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { auditEvents } from '../../sandbox/audit.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { imageOverride } from '../builders.ts'
import { collect } from '../collect.ts'
import { controlPlane } from './fixture.ts'
import { aSource, condition, forkOf, hasEndpoints, imagesOf, type Place, usesProduct } from './product.ts'

/** The longest wait between two looks, and some time for the pass. */
const RECHECKED_MS = 75_000

const revisionPath = (place: Place, fork: string) =>
  `/apis/apps/v1/namespaces/${place.namespace}/controllerrevisions/${fork}`

describe('S1: a pinned base that somebody else replaced, on the real control plane', () => {
  const place = usesProduct()

  /** An experiment that is pinned to a source with the image `cart:1`. Its revision has the name of its fork. */
  async function pinned(name: string) {
    await aSource(place(), `${name}-source`)
    await place().experiment(name, {
      source: `${name}-source`,
      onSourceChange: 'Pin',
      overrideSpec: { minReadySeconds: 1 },
    })
    const fork = forkOf(await place().reaches(name, 'Available'))
    const path = revisionPath(place(), fork)
    const revision = await place().api.get<KubeObject & { readonly data: object }>(path)
    return { name, fork, path, revision }
  }

  /** Lets the controller apply the fork of `name` again, and waits until it has looked at that. */
  async function changed(name: string) {
    await place().api.patch(place().path('experiments', name), { spec: { overrideSpec: { minReadySeconds: 2 } } })
    return await place().shows(
      name,
      'the changed spec',
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    )
  }

  /** Of the experiment whose revision has the name of another object. */
  const taken = { fork: '', path: '' }

  it('R5: is not created where another object has its name, and the experiment says so', async () => {
    await aSource(place(), 'taken-source')
    await place().experiment('taken', { source: 'taken-source' })
    taken.fork = forkOf(await place().reaches('taken', 'Available'))
    taken.path = revisionPath(place(), taken.fork)
    await hasEndpoints(place(), 'taken-source', 2)
    const collection = taken.path.slice(0, taken.path.lastIndexOf('/'))
    await place().api.create(collection, { metadata: { name: taken.fork }, revision: 1, data: {} })
    await place().api.patch(place().path('experiments', 'taken'), { spec: { onSourceChange: 'Pin' } })
    const found = await place().reaches('taken', 'NameConflict')
    const message = `controllerrevision/${taken.fork} already exists and is not managed by this experiment`
    expect(condition(found, 'Stalled')).to.deep.include({ status: 'True', message })
    expect(imagesOf(await place().deployment(taken.fork))).to.deep.equal(['registry.example/cart:1'])
  })

  it('is not used: the fork stays as it is, and the experiment says why', async () => {
    const { name, fork, path, revision } = await pinned('forged')
    await place().api.delete(path)
    const text = JSON.stringify(revision).replaceAll('registry.example/cart:1', 'registry.example/evil:1')
    const { metadata, ...forged } = JSON.parse(text) as KubeObject
    const { labels, ownerReferences } = metadata
    await place().api.create(path.slice(0, path.lastIndexOf('/')), {
      ...forged,
      metadata: { name: fork, labels, ownerReferences },
    })
    const found = await changed(name)
    expect(imagesOf(await place().deployment(fork))).to.deep.equal(['registry.example/cart:1'])
    expect(condition(found, 'Ready')).to.deep.include({ status: 'False', reason: 'PinnedBaseLost' })
    expect(condition(found, 'Stalled')).to.deep.include({ status: 'True', reason: 'PinnedBaseLost' })
  })

  it('R4: is not pinned anew without being asked when it was deleted; Follow and Pin pin it anew', async () => {
    const { name, fork, path } = await pinned('lost')
    await place().api.patch(place().path('deployments', 'lost-source'), {
      spec: imageOverride('registry.example/cart:2'),
    })
    await place().api.delete(path)
    const found = await changed(name)
    expect(imagesOf(await place().deployment(fork))).to.deep.equal(['registry.example/cart:1'])
    expect(condition(found, 'Ready')).to.deep.include({ status: 'False', reason: 'PinnedBaseLost' })
    for (const onSourceChange of ['Follow', 'Pin']) {
      await place().api.patch(place().path('experiments', name), { spec: { onSourceChange } })
      await place().reaches(name, 'Available')
    }
    expect(imagesOf(await place().deployment(fork))).to.deep.equal(['registry.example/cart:2'])
  })
  // The last one, because it waits: no event tells that the object goes, so the controller looks once a minute.
  it('R5: is created when the other object goes, and was tried at most once before', async function () {
    this.timeout(2 * RECHECKED_MS)
    const { auditLog } = await controlPlane()
    const created = async () =>
      (await collect(auditEvents(auditLog, taken.fork))).filter(
        ({ verb, user, objectRef }) =>
          verb === 'create' &&
          user.username.endsWith(':experiment-controller') &&
          objectRef?.resource === 'controllerrevisions',
      )
    expect((await created()).length).to.be.at.most(1)
    await place().api.delete(taken.path)
    await eventually('the pinned base', RECHECKED_MS, async () =>
      expect(condition(await place().experimentAt('taken'), 'Ready')?.reason).to.equal('Available'),
    )
    const { metadata } = await place().api.get<KubeObject>(taken.path)
    expect(metadata.ownerReferences?.[0]?.uid).to.equal((await place().experimentAt('taken')).metadata.uid)
    expect((await created()).length).to.be.at.most(2)
  })
})
