import { expect } from 'chai'
import type { ReadCredential } from '../../../../controller/analysis/http/guarded.ts'
import { answering, serve } from '../../../fakes/wire.ts'
import { VirtualTime } from '../../../virtual-time.ts'
import { failed, QUERY, World } from './serving.ts'

const NAME = 'prometheus'
const resolve = async () => ['127.0.0.1']
/** Answers one credential after the other. */
const rotating = (...texts: readonly string[]): { readonly credential: ReadCredential; readonly read: string[] } => {
  const read: string[] = []
  return { read, credential: async (name) => ({ is: 'credential', text: texts[read.push(name) - 1] ?? 'none left' }) }
}

describe('guardedClient, with a credential', () => {
  const world = new World()
  afterEach(() => world.close())

  it('reads it for each request, and sends it to a .svc name', async () => {
    const server = await world.started(serve(answering({})))
    const { credential, read } = rotating('first', 'second')
    const provider = { address: `http://prometheus.monitoring.svc:${server.port}`, credential: NAME }
    const { send } = world.client(provider, { resolve, credential })
    await send(QUERY)
    await send(QUERY)
    expect(server.seen.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer first', 'Bearer second'])
    expect(read).to.deep.equal([NAME, NAME])
  })

  for (const host of ['127.0.0.1', 'metrics.example.com', 'monitoring.svc', 'a.b.svc.example.com'])
    it(`neither reads nor sends it over http to ${host}`, async () => {
      const server = await world.started(serve(answering({})))
      const { credential, read } = rotating('secret')
      const { send } = world.client(
        { address: `http://${host}:${server.port}`, credential: NAME },
        { resolve, credential },
      )
      expect(await send(QUERY)).to.deep.equal(failed('a credential is sent by https only, or to a .svc name'))
      expect([read, server.connections]).to.deep.equal([[], 0])
    })

  it('sends the key of New Relic nowhere else', async () => {
    const resolved: string[] = []
    const record = async (name: string) => {
      resolved.push(name)
      return ['169.254.169.254']
    }
    const provider = {
      type: 'NewRelic',
      newRelic: { region: 'EU', accountId: 1 },
      address: 'http://a.b.svc',
      credential: NAME,
    } as const
    expect(await world.client(provider, { resolve: record }).send(QUERY)).to.deep.equal(failed('address not allowed'))
    expect(resolved).to.deep.equal(['api.eu.newrelic.com'])
  })

  it('sends nothing without it', async () => {
    const server = await world.started(serve(answering({})))
    const missing = { is: 'failed', message: 'credential prometheus not found' } as const
    const provider = { address: `http://a.b.svc:${server.port}`, credential: NAME }
    const { send } = world.client(provider, { resolve, credential: async () => missing })
    expect([await send(QUERY), server.connections]).to.deep.equal([missing, 0])
  })

  it('gives up reading it', async () => {
    const time = new VirtualTime()
    const provider = { address: 'http://a.b.svc', credential: NAME }
    const reply = world
      .client(provider, { resolve, timers: time, credential: () => new Promise(() => undefined) })
      .send(QUERY)
    await time.pass(10_000)
    expect(await reply).to.deep.equal(failed('no answer within 10 s'))
  })

  it('never tells it, even if the provider does', async () => {
    const echo = (status: number) =>
      serve((request, response) => {
        const { authorization = '' } = request.headers
        response.writeHead(status, { 'x-echo': authorization, 'retry-after': authorization })
        response.end(JSON.stringify({ errorType: authorization, error: authorization }))
      })
    for (const status of [302, 400, 401, 422, 500]) {
      const server = await world.started(echo(status))
      const provider = { address: `http://a.b.svc:${server.port}`, credential: NAME }
      expect(await world.client(provider, { resolve }).send(QUERY)).to.deep.equal(failed(`${status}`))
      expect(server.seen[0]?.headers.authorization).to.equal('Bearer the-secret')
    }
  })

  it('fails without telling it if it cannot be sent', async () => {
    const { credential } = rotating('secret\r\nHost: other')
    const { send } = world.client({ address: 'http://a.b.svc', credential: NAME }, { resolve, credential })
    expect(await send(QUERY)).to.deep.equal(failed('request failed'))
  })
})
