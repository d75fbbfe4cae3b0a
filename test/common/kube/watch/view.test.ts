import { expect } from 'chai'
import type { KubeObject } from '../../../../common/api/object.ts'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import { RESOURCES } from '../../../../common/kube/client/resources.ts'
import { listAll, type View, watchFrom } from '../../../../common/kube/watch/view.ts'
import { cart, deploymentList, kubeError, ScriptedClient } from '../../../fakes/wire-by-hand.ts'

const VIEW = { resource: RESOURCES.Deployment, managedFields: 'none', project: (object: KubeObject) => object } as const
const { signal } = new AbortController()

describe('listAll', () => {
  /** The outcome of a list of `view` that is answered so, page by page, and the requests. */
  async function listed(pages: readonly unknown[], view: Partial<View> = {}) {
    const client = new ScriptedClient()
    const outcome = listAll(client, { ...VIEW, ...view }, signal).catch((error: Error) => error)
    const requests = []
    for (const page of pages) {
      const { request, answer, fail } = await client.list()
      requests.push(request)
      if (page instanceof Error) fail(page)
      else answer(page)
    }
    return { outcome: await outcome, requests }
  }

  it('reads 500 objects a page, until no page is left', async () => {
    const { outcome, requests } = await listed([
      deploymentList(10, [cart({ version: 3 })], { continue: 'page2' }),
      deploymentList(10, [cart({ name: 'till', uid: 'u2', version: 4 })]),
    ])
    expect(outcome).to.have.property('arrivals').with.length(2)
    expect(requests.map(({ query }) => [query?.limit, query?.continue])).to.deep.equal([
      [500, undefined],
      [500, 'page2'],
    ])
    for (const { query } of requests) expect(query).not.to.have.property('resourceVersion')
  })

  it('keeps of each object only its projection, before it asks for the next page', async () => {
    const projected: string[] = []
    const project = ({ metadata }: KubeObject) => {
      projected.push(metadata.name)
      return metadata.name
    }
    const client = new ScriptedClient()
    const listing = listAll(client, { ...VIEW, project }, signal)
    ;(await client.list()).answer(deploymentList(10, [cart({ version: 3 })], { continue: 'page2' }))
    const second = await client.list()
    expect(projected).to.deep.equal(['cart'])
    second.answer(deploymentList(10, [cart({ name: 'till', uid: 'u2', version: 4 })]))
    expect((await listing).arrivals).to.deep.equal([
      { key: 'shop/cart', uid: 'u1', version: '3', isDeleting: false, value: 'cart' },
      { key: 'shop/till', uid: 'u2', version: '4', isDeleting: false, value: 'till' },
    ])
  })

  const tooLong = new KubeError({ kind: 'invalid', message: 'the response is longer than 4194304 bytes' })

  it('reads fewer objects a page if these are too long, then more again, and no page is read in part', async () => {
    const { outcome, requests } = await listed([
      deploymentList(10, [cart({ version: 3 })], { continue: 'page2' }),
      tooLong,
      tooLong,
      deploymentList(10, [cart({ name: 'till', uid: 'u2', version: 4 })], { continue: 'page3' }),
      deploymentList(10, []),
    ])
    expect(outcome).to.have.property('arrivals').with.length(2)
    expect(requests.map(({ query }) => [query?.limit, query?.continue])).to.deep.equal([
      [500, undefined],
      [500, 'page2'],
      [50, 'page2'],
      [5, 'page2'],
      [10, 'page3'],
    ])
    for (const { maxBytes } of requests) expect(maxBytes).to.equal(4_194_304)
  })

  it('N29: reads a single object a page at last, however long that is', async () => {
    const { outcome, requests } = await listed([tooLong, tooLong, tooLong, deploymentList(10, [cart({ version: 3 })])])
    expect(outcome).to.have.property('arrivals').with.length(1)
    expect(requests.map(({ query }) => query?.limit)).to.deep.equal([500, 50, 5, 1])
    expect(requests.at(-1)).to.include({ maxBytes: Number.POSITIVE_INFINITY })
  })

  it('fails as its request fails, also if that is invalid whatever the size of the page', async () => {
    const invalid = new KubeError({ kind: 'invalid', message: 'no such label selector' })
    const { outcome, requests } = await listed([invalid, invalid, invalid, invalid])
    expect(outcome).to.equal(invalid)
    expect(requests).to.have.length(4)
  })

  it('has the version of its first page', async () => {
    const { outcome } = await listed([deploymentList(10, [], { continue: 'page2' }), deploymentList(11, [])])
    expect(outcome).to.include({ version: '10' })
  })

  it('asks for the namespace and the labels of the view', async () => {
    const { requests } = await listed([deploymentList(1, [])], {
      namespace: 'shop',
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=cart',
    })
    expect(requests[0]).to.include({ path: '/apis/apps/v1/namespaces/shop/deployments', expects: 'DeploymentList' })
    expect(requests[0]?.query).to.include({ labelSelector: 'a=b', fieldSelector: 'metadata.name=cart' })
  })

  it('takes null for an empty list, as the API server writes one of metadata only', async () => {
    const { outcome, requests } = await listed([{ metadata: { resourceVersion: '1' }, items: null }], {
      metadataOnly: true,
    })
    expect(outcome).to.deep.equal({ version: '1', arrivals: [] })
    expect(requests[0]).to.include({
      expects: 'PartialObjectMetadataList',
      accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    })
  })

  const broken: Record<string, readonly [page: unknown, message: string]> = {
    'a list without items': [{ metadata: { resourceVersion: '1' } }, 'the list has no items'],
    'a list without a version': [{ metadata: {}, items: [] }, 'the list has no version'],
    'an object without a uid': [
      deploymentList(1, [{ metadata: { name: 'x', resourceVersion: '1' } }]),
      'the list has an object without name, uid or version',
    ],
  }
  for (const [what, [page, message]] of Object.entries(broken))
    it(`throws unreachable for ${what}`, async () => {
      expect((await listed([page])).outcome).to.include({ kind: 'unreachable', message })
    })

  it('throws what a later page throws', async () => {
    const { outcome } = await listed([deploymentList(10, [], { continue: 'page2' }), kubeError('gone')])
    expect(outcome).to.include({ kind: 'gone' })
  })
})

describe('watchFrom', () => {
  it('asks for events after a version, with bookmarks', async () => {
    const client = new ScriptedClient()
    const view = { ...VIEW, labelSelector: 'a=b', fieldSelector: 'metadata.name=cart' }
    void watchFrom(client, view, { version: '10', timeoutSeconds: 300, signal })
    const { request } = await client.watch()
    expect(request).to.deep.include({ path: '/apis/apps/v1/deployments', accept: 'application/json', signal })
    expect(request.query).to.deep.equal({
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: '10',
      timeoutSeconds: 300,
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=cart',
    })
  })

  it('asks for metadata only where that is all the view needs', async () => {
    const client = new ScriptedClient()
    void watchFrom(client, { ...VIEW, metadataOnly: true }, { version: '10', timeoutSeconds: 300, signal })
    expect((await client.watch()).request.accept).to.equal(
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    )
  })
})
