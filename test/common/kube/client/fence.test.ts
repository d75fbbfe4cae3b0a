import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { Agent } from 'undici'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import { type Fence, fenced, NotHeld } from '../../../../common/kube/client/fence.ts'
import type { KubeRequest } from '../../../../common/kube/client/request.ts'
import { close, listen } from '../../../../common/program/listen.ts'
import { json, type Respond, type ServedClient, serveClient, silence } from '../../../fakes/wire.ts'
import { VirtualTime } from '../../../virtual-time.ts'

const PATH = '/apis/apps/v1/namespaces/shop/deployments/cart'
const GET: KubeRequest = { verb: 'get', path: PATH }
const WRITES: readonly KubeRequest[] = (['create', 'update', 'patch', 'apply', 'delete'] as const).map((verb) => ({
  verb,
  path: PATH,
  body: {},
}))
const OK = json(200, { kind: 'Deployment' })

/** A fence that a test opens and closes. */
const aFence = (): Fence & { isHeld: boolean } => ({
  isHeld: true,
  held() {
    return this.isHeld
  },
  leftMs: () => 14_000,
})

const failure = async (promise: Promise<unknown>): Promise<KubeError> => {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  )
  if (error instanceof KubeError) return error
  throw error
}

describe('a client with a fence', () => {
  let here: ServedClient | undefined
  const serving = async (answers: readonly Respond[], fence: Fence, timers?: VirtualTime, connections = 8) => {
    here = await serveClient(answers, timers, { fence, connections })
    return here
  }
  afterEach(async () => {
    await here?.close()
    here = undefined
  })

  it('sends everything while it is held', async () => {
    const { client, seen } = await serving([OK], aFence())
    for (const request of [GET, ...WRITES]) await client.request(request)
    expect(seen).to.have.length(6)
  })

  it('sends reads and no write while it is not held', async () => {
    const fence = aFence()
    const { client, seen } = await serving([OK], fence)
    fence.isHeld = false
    for (const write of WRITES) {
      const { kind, message, cause } = await failure(client.request(write))
      expect([kind, message]).to.deep.equal(['unreachable', 'not sent: this process does not lead'])
      expect(cause).to.be.instanceOf(NotHeld)
    }
    await client.request(GET)
    expect(seen.map(({ line }) => line)).to.deep.equal([`GET /root${PATH}`])
  })

  it('does not send a write that waited for a connection for too long, and uses the connection for others', async () => {
    const fence = aFence()
    const answers = Promise.withResolvers<void>()
    const slow: Respond = (_, response) => void answers.promise.then(() => OK(_, response, ''))
    const { client, seen } = await serving([slow, OK], fence, undefined, 1)
    const first = client.request(GET)
    while (seen.length === 0) await new Promise(setImmediate)
    const write = failure(client.request({ verb: 'create', path: PATH, body: {} }))
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate) // it waits for the connection now
    fence.isHeld = false
    answers.resolve()
    expect((await write).cause).to.be.instanceOf(NotHeld)
    await first
    await client.request(GET)
    expect(seen.map(({ line }) => line.split(' ')[0])).to.deep.equal(['GET', 'GET'])
  })

  it('ends a write when its time is over', async () => {
    const time = new VirtualTime()
    const fence: Fence = { held: () => true, leftMs: () => 4_000 - time.now() }
    const { client, seen } = await serving([silence], fence, time)
    const write = failure(client.request({ verb: 'create', path: PATH, body: {} }))
    while (seen.length === 0) await new Promise(setImmediate)
    await time.pass(4_000)
    expect(await write).to.include({ kind: 'timeout', message: 'not answered before another process may lead' })
    expect(time.pending).to.equal(0)
  })

  it('R14: lets a slow write go on while the process leads, up to the deadline of the write', async () => {
    const time = new VirtualTime()
    let renewedAtMs = 0
    const fence: Fence = { held: () => true, leftMs: () => renewedAtMs + 14_000 - time.now() }
    const { client, seen } = await serving([silence], fence, time)
    const write = failure(client.request({ verb: 'create', path: PATH, body: {} }))
    while (seen.length === 0) await new Promise(setImmediate)
    let isOver = false
    void write.then(() => {
      isOver = true
    })
    for (let second = 1; second < 30; second += 1) {
      await time.pass(1_000)
      if (second % 2 === 0) renewedAtMs = time.now()
      expect(isOver, `after ${second} s`).to.equal(false)
    }
    await time.pass(1_000)
    expect(await write).to.include({ kind: 'timeout', message: 'timed out after 30000 ms' })
    expect(time.pending).to.equal(0)
  })
})

describe('fenced', () => {
  it('does not send a write whose connect took too long', async () => {
    let requests = 0
    const server = createServer((_, response) => {
      requests += 1
      response.end()
    })
    const port = await listen(server, 0, '127.0.0.1')
    const connected = Promise.withResolvers<void>()
    const agent = new Agent({
      connect: (_, callback) => {
        const socket = connect(port, '127.0.0.1')
        socket.once('connect', () => void connected.promise.then(() => callback(null, socket)))
      },
    })
    const fence = aFence()
    const post = { origin: `http://127.0.0.1:${port}`, path: '/', method: 'POST' } as const
    const sent = fenced(agent, fence)
      .request(post)
      .catch((error: unknown) => error)
    await new Promise(setImmediate)
    fence.isHeld = false
    connected.resolve()
    expect(await sent).to.be.instanceOf(NotHeld)
    expect(requests).to.equal(0)
    await agent.close()
    await close(server)
  })
})
