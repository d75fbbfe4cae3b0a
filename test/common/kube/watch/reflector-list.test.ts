import { expect } from 'chai'
import { added, cart, deploymentList, errorEvent, kubeError } from '../../../fakes/wire-by-hand.ts'
import { turn } from '../../../virtual-time.ts'
import { following, world } from './reflecting.ts'

describe('a reflector that lists', () => {
  it('reads all pages, then watches from the version of the list', async () => {
    const { client, reflector, changes } = world({ labelSelector: 'a=b' })
    const first = await client.list()
    expect(first.request.query).to.deep.include({ limit: 500, continue: undefined, labelSelector: 'a=b' })
    expect(first.request.path).to.equal('/apis/apps/v1/deployments')
    first.answer(deploymentList(10, [cart({ version: 3 })], { continue: 'page2' }))
    const second = await client.list()
    expect(second.request.query).to.deep.include({ continue: 'page2' })
    expect(reflector.hasSynced).to.equal(false)
    second.answer(deploymentList(10, [cart({ name: 'till', uid: 'u2', version: 4 })]))
    const { request } = await client.watch()
    expect(request.query).to.deep.include({ allowWatchBookmarks: true, resourceVersion: '10', labelSelector: 'a=b' })
    expect(request.query?.timeoutSeconds).to.equal(600)
    await reflector.synced()
    expect(changes).to.deep.equal(['added shop/cart u1@3', 'added shop/till u2@4'])
    expect(reflector.get('shop/cart')).to.deep.include({ apiVersion: 'apps/v1', kind: 'Deployment' })
    expect(reflector.list()).to.have.length(2)
    await reflector.stop()
  })

  it('requests only metadata if it needs no more', async () => {
    const { client, reflector } = world({ metadataOnly: true })
    const list = await client.list()
    expect(list.request).to.deep.include({
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      expects: 'PartialObjectMetadataList',
    })
    list.answer({ ...deploymentList(1, []), kind: 'PartialObjectMetadataList' })
    const watch = await client.watch()
    expect(watch.request.accept).to.equal('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')
    await reflector.stop()
  })

  it('lists again after a wait when a page is no longer kept, and stores none of the first pages', async () => {
    const { client, time, reflector, changes } = world()
    ;(await client.list()).answer(deploymentList(10, [cart({ version: 3 })], { continue: 'page2' }))
    ;(await client.list()).fail(kubeError('gone'))
    await time.pass(799)
    expect(client.diary).to.deep.equal(['list', 'list'])
    expect(changes).to.deep.equal([])
    await time.pass(1)
    const again = await client.list()
    expect(again.request.query?.continue).to.equal(undefined)
    await reflector.stop()
  })

  it('doubles its waits up to 20 s, and respects a longer Retry-After', async () => {
    const { client, time, reflector } = world()
    for (const waitMs of [800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000]) {
      ;(await client.list()).fail(kubeError('server'))
      const before = client.diary.length
      await time.pass(waitMs - 1)
      expect(client.diary).to.have.length(before)
      await time.pass(1)
      expect(client.diary).to.have.length(before + 1)
    }
    ;(await client.list()).fail(kubeError('throttled', { retryAfterMs: 45_000 }))
    const before = client.diary.length
    await time.pass(44_999)
    expect(client.diary).to.have.length(before)
    await time.pass(1)
    expect(client.diary).to.have.length(before + 1)
    await reflector.stop()
  })

  for (const [what, answer] of Object.entries({
    'HTML or a truncated body': kubeError('unreachable'),
    'a list without items': { kind: 'DeploymentList', metadata: { resourceVersion: '20' } },
    'a list without a version': { kind: 'DeploymentList', metadata: {}, items: [] },
    'an object without a uid': deploymentList(20, [{ metadata: { name: 'x', resourceVersion: '1' } }]),
  }))
    it(`keeps its objects after ${what}`, async () => {
      const { client, time, wire, reflector, changes } = await following()
      wire.send(errorEvent(410))
      await time.pass(800)
      const list = await client.list()
      if (answer instanceof Error) list.fail(answer)
      else list.answer(answer)
      await turn()
      expect(changes).to.deep.equal([])
      expect(reflector.get('shop/cart')).to.not.equal(undefined)
      await reflector.stop()
    })

  it('accepts null for no objects, as the API server writes an empty metadata-only list', async () => {
    const { client, reflector } = world({ metadataOnly: true })
    ;(await client.list()).answer({ metadata: { resourceVersion: '1' }, items: null })
    await reflector.synced()
    expect(reflector.size).to.equal(0)
    await reflector.stop()
  })

  it('reports what a new list changes, by uid, and no unchanged objects', async () => {
    const { client, time, wire, reflector, changes } = await following()
    wire.send(
      added(cart({ name: 'same', uid: 'u2', version: 11 })),
      added(cart({ name: 'gone', uid: 'u3', version: 12 })),
    )
    wire.send(errorEvent(410))
    await time.pass(800)
    changes.length = 0
    ;(await client.list()).answer(
      deploymentList(20, [
        cart({ uid: 'u9', version: 19 }),
        cart({ name: 'same', uid: 'u2', version: 11 }),
        cart({ name: 'new', uid: 'u4', version: 18 }),
      ]),
    )
    await turn()
    expect(changes).to.deep.equal([
      'deleted shop/cart u1@9',
      'added shop/cart u9@19',
      'deleted shop/gone u3@12',
      'added shop/new u4@18',
    ])
    await reflector.stop()
  })

  it('discards lists older than what it knows, until five in a row are in order', async () => {
    const { client, time, wire, reflector, changes, log } = await following()
    wire.send(errorEvent(410))
    for (const version of [5, 6, 3, 3, 3, 4]) {
      await time.pass(20_000)
      ;(await client.list()).answer(deploymentList(version, []))
      await turn()
      expect(changes, `after a list of ${version}`).to.deep.equal([])
    }
    await time.pass(20_000)
    ;(await client.list()).answer(deploymentList(4, []))
    await turn()
    expect(changes).to.deep.equal(['deleted shop/cart u1@9'])
    expect(log.lines.map(({ text }) => text)).to.include(
      'warn resource versions went back; assuming that etcd was restored',
    )
    expect((await client.watch()).request.query?.resourceVersion).to.equal('4')
    await reflector.stop()
  })
})
