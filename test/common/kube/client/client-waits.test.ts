import { expect } from 'chai'
import { limited } from '../../../../common/kube/client/client.ts'
import type { KubeError } from '../../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { Semaphore } from '../../../../common/program/semaphore.ts'
import { json, type Respond, type ServedClient, serveClient } from '../../../fakes/wire.ts'

const PATH = '/apis/apps/v1/namespaces/shop/deployments/cart'
const GET: KubeRequest = { verb: 'get', path: PATH }
const OK = json(200, { kind: 'Deployment' })

const failure = (promise: Promise<unknown>): Promise<KubeError> =>
  promise.then(
    () => expect.fail('it succeeded'),
    (error: KubeError) => error,
  )

describe('a request that waits for a connection', () => {
  let here: ServedClient | undefined
  afterEach(async () => {
    await here?.close()
    here = undefined
  })

  /** A client with one connection, which a request occupies until `free` is called. */
  async function occupied() {
    const answers = Promise.withResolvers<void>()
    const slow: Respond = (_, response) => void answers.promise.then(() => OK(_, response, ''))
    here = await serveClient([slow, OK], undefined, { connections: 1, maxTries: 1 })
    const first = here.client.request(GET)
    while (here.seen.length === 0) await new Promise(setImmediate)
    return { here, first, free: () => answers.resolve() }
  }

  for (const verb of ['get', 'apply'] as const)
    it(`ends at its deadline, and leaves the connection to others: ${verb}`, async () => {
      const { here, first, free } = await occupied()
      const error = await failure(here.client.request({ verb, path: PATH, body: {}, deadlineMs: 20 }))
      expect(error.message).to.equal('timed out after 20 ms')
      free()
      await first
      await here.client.request({ ...GET, path: `${PATH}-2` })
      expect(here.seen.map(({ line }) => line)).to.deep.equal([`GET /root${PATH}`, `GET /root${PATH}-2`])
      expect(here.connections).to.equal(1)
      expect(here.sent.map(({ code }) => code)).to.deep.equal(['error', '200', '200'])
    })

  it('ends when its caller aborts it', async () => {
    const { here, first, free } = await occupied()
    const caller = new AbortController()
    const waiting = failure(here.client.request({ ...GET, signal: caller.signal }))
    const watch = failure(here.client.stream({ path: PATH, signal: caller.signal }) as Promise<unknown>)
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate)
    caller.abort(new Error('enough'))
    expect([(await waiting).message, (await watch).message]).to.deep.equal(['enough', 'enough'])
    free()
    await first
    await here.client.request(GET)
    expect([here.seen.length, here.connections]).to.deep.equal([2, 1])
  })

  it('is not sent if it was aborted before', async () => {
    const { here, first, free } = await occupied()
    free()
    await first
    const error = await failure(here.client.request({ ...GET, signal: AbortSignal.abort(new Error('enough')) }))
    expect(error.message).to.equal('enough')
    await here.client.request(GET)
    expect([here.seen.length, here.connections]).to.deep.equal([2, 1])
  })
})

describe('requests that share a limit', () => {
  it('are sent one after another, and end at their deadlines meanwhile', async () => {
    const answers = Promise.withResolvers<void>()
    const slow: Respond = (_, response) => void answers.promise.then(() => OK(_, response, ''))
    const here = await serveClient([slow, OK])
    const limit = new Semaphore(1)
    const client = limited(here.client, limit)
    const first = client.request(GET)
    while (here.seen.length === 0) await new Promise(setImmediate)
    const late = failure(client.request({ ...GET, deadlineMs: 20 }))
    const last = client.request(GET)
    await here.client.request(GET) // without the limit
    expect((await late).message).to.equal('timed out after 20 ms')
    expect([here.seen.length, limit.waiting]).to.deep.equal([2, 1])
    answers.resolve()
    await Promise.all([first, last])
    expect([here.seen.length, limit.waiting]).to.deep.equal([3, 0])
    await here.close()
  })
})
