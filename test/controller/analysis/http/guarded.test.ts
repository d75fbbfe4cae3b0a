import { expect } from 'chai'
import { type CertificatePair, newAuthority, newLeaf } from '../../../../certs/authority.ts'
import { answering, serve, serveBytes } from '../../../fakes/wire.ts'
import { failed, QUERY, World } from './serving.ts'

describe('guardedClient', () => {
  const world = new World()
  afterEach(() => world.close())

  it('sends path, query, headers and body, and returns JSON', async () => {
    let body = ''
    const server = await world.started(
      serve((request, response) => {
        request.on('data', (chunk) => {
          body += chunk
        })
        request.on('end', () => answering({ status: 'success' })(request, response))
      }),
    )
    const { send } = world.client({
      address: `http://127.0.0.1:${server.port}/prom/`,
      headers: { 'X-Scope-OrgID': 'shop' },
    })
    const reply = await send({
      ...{ method: 'POST', path: '/api/v1/query_range', params: { a: 'b c' } },
      body: { type: 'application/x-www-form-urlencoded', text: 'query=up' },
    })
    expect(reply).to.deep.equal({ is: 'json', json: { status: 'success' } })
    expect(server.seen).to.have.length(1)
    expect(server.seen[0]?.line).to.equal('POST /prom/api/v1/query_range?a=b+c')
    expect(server.seen[0]?.headers).to.deep.include({
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'test/1',
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '8',
      'x-scope-orgid': 'shop',
      host: `127.0.0.1:${server.port}`,
    })
    expect(server.seen[0]?.headers).not.to.have.any.keys('authorization', 'api-key', 'cookie')
    expect(body).to.equal('query=up')
  })

  it('keeps its connection, and sends back no cookie', async () => {
    const server = await world.started(serve(answering({}, { 'set-cookie': 'session=1' })))
    const { send } = world.client({ address: `http://127.0.0.1:${server.port}`, maxConcurrent: 1 })
    await send(QUERY)
    await send(QUERY)
    expect(server.seen.map(({ headers }) => headers.cookie)).to.deep.equal([undefined, undefined])
    expect(server.connections).to.equal(1)
  })

  it('sends at most maxConcurrent requests at a time, in the order in which they came', async () => {
    const waiting: (() => void)[] = []
    const server = await world.started(serve((...of) => void waiting.push(() => answering({})(...of))))
    const { send } = world.client({ address: `http://127.0.0.1:${server.port}`, maxConcurrent: 2 })
    const replies = ['/1', '/2', '/3', '/4'].map((path) => send({ method: 'GET', path }))
    const answerNext = async () => {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
      waiting.shift()?.()
    }
    await answerNext()
    await replies[0]
    await answerNext()
    await replies[1]
    await answerNext()
    await answerNext()
    expect((await Promise.all(replies)).map(({ is }) => is)).to.deep.equal(['json', 'json', 'json', 'json'])
    expect(
      server.seen
        .map(({ line }) => line)
        .slice(0, 2)
        .sort(),
    ).to.deep.equal(['GET /1', 'GET /2'])
    expect(server.connections).to.equal(2)
  })

  it('asks no proxy of the environment', async () => {
    const proxy = await world.started(serve(answering({ from: 'proxy' })))
    const server = await world.started(serve(answering({ from: 'server' })))
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy', 'NODE_USE_ENV_PROXY']
    for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy.port}`
    try {
      const reply = await world.client({ address: `http://127.0.0.1:${server.port}` }).send(QUERY)
      expect(reply).to.deep.equal({ is: 'json', json: { from: 'server' } })
      expect(proxy.connections).to.equal(0)
    } finally {
      for (const name of names) delete process.env[name]
    }
  })

  it('sends nothing outside of the address', async () => {
    const server = await world.started(serve(answering({})))
    const { send } = world.client({ address: `http://127.0.0.1:${server.port}/team-a` })
    expect(await send({ method: 'GET', path: '/%2e%2e/admin' })).to.deep.equal(
      failed('the path leads out of the address'),
    )
    expect(server.connections).to.equal(0)
  })

  for (const [what, provider, message] of [
    ['an address with a user', { address: 'http://user@127.0.0.1' }, 'the address must not have a user'],
    ['no address', {}, 'the provider has no address'],
    [
      'certificates that cannot be read',
      { address: 'https://127.0.0.1', caBundle: 'AAAA' },
      'the caBundle has no certificates that can be read',
    ],
    [
      'a header of ours',
      { address: 'http://127.0.0.1', headers: { host: 'x' } },
      'the provider must not set the header Host',
    ],
  ] as const)
    it(`refuses a provider with ${what}`, async () => {
      const client = world.client(provider)
      expect(await client.send(QUERY)).to.deep.equal(failed(message))
      await client.close()
    })

  it('lets no value of a header begin another one', async () => {
    const server = await world.started(serve(answering({})))
    const address = `http://127.0.0.1:${server.port}`
    const headers = { 'X-Scope-OrgID': 'shop\r\nHost: other' }
    expect(await world.client({ address, headers }).send(QUERY)).to.deep.equal(
      failed('a header of the provider has an invalid value'),
    )
    expect(server.connections).to.equal(0)
  })

  it('ends accepted requests before it closes, and refuses later ones', async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>()
    const server = await world.started(
      serve((...of) => (of[0].url === '/1' ? isAsked(() => answering({})(...of)) : answering({})(...of))),
    )
    const client = world.client({ address: `http://127.0.0.1:${server.port}`, maxConcurrent: 1 })
    const replies = ['/1', '/2'].map((path) => client.send({ method: 'GET', path }))
    const answer = await asked
    const closed = client.close()
    expect(await client.send(QUERY)).to.deep.equal(failed('connection closed'))
    answer()
    expect((await Promise.all(replies)).map(({ is }) => is)).to.deep.equal(['json', 'json'])
    await closed
  })

  it('fails requests under way when it is destroyed', async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
    const server = await world.started(serve(() => isAsked()))
    const client = world.client({ address: `http://127.0.0.1:${server.port}`, maxConcurrent: 1 })
    const replies = ['/1', '/2'].map((path) => client.send({ method: 'GET', path }))
    await asked
    await client.destroy()
    expect(await Promise.all(replies)).to.deep.equal([failed('connection closed'), failed('connection closed')])
  })

  it('says that a connection was refused or closed', async () => {
    const gone = await serve(answering({}))
    await gone.close()
    const rude = await world.started(serveBytes((socket) => socket.once('data', () => socket.destroy())))
    const replies = [gone, rude].map(({ port }) => world.client({ address: `http://127.0.0.1:${port}` }).send(QUERY))
    expect(await Promise.all(replies)).to.deep.equal([failed('connection refused'), failed('connection closed')])
  })
})

const clock = () => new Date()
const inThePast = () => new Date(Date.now() - 10 * 86_400_000)
const bundle = ({ cert }: CertificatePair) => Buffer.from(cert).toString('base64')
const NAMES = ['127.0.0.1', 'metrics.test']

describe('guardedClient, over TLS', () => {
  const world = new World()
  let authority: CertificatePair
  before(async () => {
    authority = await newAuthority({ clock: inThePast, days: 20 })
  })
  afterEach(() => world.close())

  /** Asks a server with a certificate for `names`. */
  const asked = async ({ host = '127.0.0.1', names = NAMES, issued = clock, days = 1, trusted = authority } = {}) => {
    const leaf = await newLeaf(authority, { names, clock: issued, days })
    const { port } = await world.started(serve(answering({}), leaf))
    const resolve = async () => ['127.0.0.1']
    return world.client({ address: `https://${host}:${port}`, caBundle: bundle(trusted) }, { resolve }).send(QUERY)
  }

  for (const host of NAMES)
    it(`trusts a certificate of the caBundle for ${host}`, async () =>
      expect(await asked({ host })).to.deep.equal({ is: 'json', json: {} }))

  it('does not trust another authority', async () =>
    expect(await asked({ trusted: await newAuthority({ clock, days: 1 }) })).to.deep.equal(
      failed('certificate not trusted'),
    ))

  it('does not trust the certificate of another host', async () => {
    expect(await asked({ names: ['other.test'] })).to.deep.equal(failed('certificate of another name'))
    expect(await asked({ names: ['metrics.test'] })).to.deep.equal(failed('certificate of another name'))
  })

  it('does not trust an expired certificate', async () =>
    expect(await asked({ issued: inThePast })).to.deep.equal(failed('certificate expired')))

  it('trusts no unknown authority without a caBundle, whatever the environment says', async () => {
    const leaf = await newLeaf(authority, { names: NAMES, clock, days: 1 })
    const server = await world.started(serve(answering({}), leaf))
    const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env
    const { emitWarning } = process
    const warnings: unknown[] = []
    process.emitWarning = (warning: unknown) => void warnings.push(warning) // of Node, about this variable
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const reply = await world.client({ address: `https://127.0.0.1:${server.port}` }).send(QUERY)
      expect(reply).to.deep.equal(failed('certificate not trusted'))
      expect(server.seen).to.deep.equal([])
      for (const warning of warnings) expect(warning).to.contain('NODE_TLS_REJECT_UNAUTHORIZED')
    } finally {
      process.emitWarning = emitWarning
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })

  it('says that a server has no TLS', async () => {
    const { port } = await world.started(serve(answering({})))
    expect(await world.client({ address: `https://127.0.0.1:${port}` }).send(QUERY)).to.deep.equal(
      failed('no TLS connection'),
    )
  })
})
