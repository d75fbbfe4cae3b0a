import { expect } from 'chai'
import { type KubeObject, UNREAD } from '../../../../common/api/object.ts'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { RESOURCES, resourcePath } from '../../../../common/kube/client/resources.ts'
import { json, type Respond, type ServedClient, serveClient } from '../../../fakes/wire.ts'

const PATH = resourcePath(RESOURCES.Deployment, { namespace: 'shop', name: 'cart' })
const GET: KubeRequest = { verb: 'get', path: PATH, expects: 'Deployment' }

const failure = async (promise: Promise<unknown>): Promise<KubeError> => {
  const error = await promise.catch((error: unknown) => error)
  if (error instanceof KubeError) return error
  throw error
}

describe('KubeClient.request, of what is too large', () => {
  let here: ServedClient | undefined
  const serving = async (answers: readonly Respond[]): Promise<ServedClient> => {
    here = await serveClient(answers)
    return here
  }
  afterEach(() => here?.close())

  it('N29: throws unread for an object that is too large, and says its name and why', async () => {
    const labels = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, '']))
    const metadata = { name: 'cart', namespace: 'shop', uid: 'u1', labels }
    const { client, seen } = await serving([json(200, { kind: 'Deployment', apiVersion: 'apps/v1', metadata })])
    const error = await failure(client.request(GET))
    const message = 'deployment/cart is too large to be read: it has more than 100,000 keys and items'
    expect(error).to.include({ kind: 'unread', message, attempted: `get ${PATH}` })
    expect(seen).to.have.length(1)
    const marked = (await client.request({ ...GET, isNameEnough: true })) as KubeObject
    expect(marked.metadata).to.deep.equal({ name: 'cart', namespace: 'shop', uid: 'u1', labels: {} })
    const written = (await client.request({ verb: 'apply', path: PATH, body: {} })) as KubeObject
    expect([marked, written].map((object) => object[UNREAD])).to.deep.equal(Array(2).fill(message.split(': ')[1]))
  })

  it('N29: reads a list of up to 4 MiB, of which the objects that are too large are no part', async () => {
    const item = (name: string, data: string) => ({ metadata: { name }, data })
    const [large, long] = [item('large', '<'.repeat(100_000)), item('long', 'x'.repeat(1_000_000))]
    const list = (...items: readonly object[]) => json(200, { kind: 'ServiceList', items })
    const { client } = await serving([list(long, long, long, long, large), list(long, long, long, long, long)])
    const listed = () => client.request({ verb: 'list', path: resourcePath(RESOURCES.Service, { namespace: 'shop' }) })
    expect(await listed()).to.have.nested.property('items.length', 5)
    expect(await failure(listed())).to.include({
      kind: 'invalid',
      message: 'the response is longer than 4194304 bytes',
    })
  })
})
