import { expect } from 'chai'
import type { AnalysisProvider, ProviderSpec } from '../../../../common/analysis/kinds/provider.ts'
import { Connections } from '../../../../controller/analysis/http/connections.ts'
import { answering, serve } from '../../../fakes/wire.ts'
import { failed, OPTIONS, QUERY, World } from './serving.ts'

const DONE = { is: 'json', json: {} }

describe('Connections', () => {
  const world = new World()
  let connections = new Connections(OPTIONS)
  beforeEach(() => {
    connections = new Connections(OPTIONS)
  })
  afterEach(async () => {
    await connections.close()
    await world.close()
  })

  const provider = (port: number, spec: Partial<ProviderSpec> = {}, name = 'prometheus'): AnalysisProvider => ({
    metadata: { name },
    spec: { type: 'Prometheus', namespaceSelector: {}, address: `http://127.0.0.1:${port}`, maxConcurrent: 1, ...spec },
  })

  /** A server that answers the first request when told, and others at once. */
  const slowServer = async () => {
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<() => void>()
    const server = await world.started(
      serve((...of) => (server.seen.length === 1 ? isAsked(() => answering({})(...of)) : answering({})(...of))),
    )
    return { server, asked }
  }

  it('keeps the connection to a provider that stays as it is', async () => {
    const server = await world.started(serve(answering({})))
    await connections.send(provider(server.port))(QUERY)
    await connections.send(provider(server.port))(QUERY)
    expect([server.seen.length, server.connections]).to.deep.equal([2, 1])
  })

  it('sends to a changed provider at once, and lets earlier requests end', async () => {
    const { server, asked } = await slowServer()
    const other = await world.started(serve(answering({ other: true })))
    const former = connections.send(provider(server.port))
    const replies = [former(QUERY), former(QUERY)]
    const answer = await asked
    const changed = connections.send(provider(other.port))
    expect(await changed(QUERY)).to.deep.equal({ is: 'json', json: { other: true } })
    expect(await former(QUERY)).to.deep.equal(failed('connection closed'))
    answer()
    expect(await Promise.all(replies)).to.deep.equal([DONE, DONE])
  })

  it('uses the headers of a changed provider', async () => {
    const server = await world.started(serve(answering({})))
    for (const tenant of ['shop', 'stock'])
      await connections.send(provider(server.port, { headers: { tenant } }))(QUERY)
    expect(server.seen.map(({ headers }) => headers.tenant)).to.deep.equal(['shop', 'stock'])
  })

  it('knows that a provider is busy when as many requests wait as may be sent', async () => {
    const { server, asked } = await slowServer()
    const send = connections.send(provider(server.port))
    const isBusy = () => connections.isBusy('prometheus')
    const first = send(QUERY)
    expect([isBusy(), connections.isBusy('another')]).to.deep.equal([false, false])
    const second = send(QUERY)
    expect(isBusy()).to.equal(true)
    ;(await asked)()
    expect(await Promise.all([first, second])).to.deep.equal([DONE, DONE])
    expect(isBusy()).to.equal(false)
  })

  it('is not busy with a provider that must not be asked', async () => {
    const refused = connections.send(provider(1, { address: 'http://[::ffff:1.2.3.4%25]/' }))
    await Promise.all([refused(QUERY), refused(QUERY), refused(QUERY)])
    expect(connections.isBusy('prometheus')).to.equal(false)
  })

  it('lets no provider wait for another one', async () => {
    const { server, asked } = await slowServer()
    const slow = connections.send(provider(server.port))(QUERY)
    const answer = await asked
    expect(await connections.send(provider(server.port, {}, 'another'))(QUERY)).to.deep.equal(DONE)
    answer()
    expect(await slow).to.deep.equal(DONE)
  })

  it('closes the connections to a provider that is gone, once earlier requests have ended', async () => {
    const { server, asked } = await slowServer()
    const send = connections.send(provider(server.port))
    const reply = send(QUERY)
    const answer = await asked
    connections.forget('prometheus')
    connections.forget('never seen')
    expect(await send(QUERY)).to.deep.equal(failed('connection closed'))
    answer()
    expect(await reply).to.deep.equal(DONE)
  })

  it('ends all requests when it is closed', async () => {
    const { server, asked } = await slowServer()
    const reply = connections.send(provider(server.port))(QUERY)
    await asked
    await connections.close()
    expect(await reply).to.deep.equal(failed('connection closed'))
  })

  it('says why a provider cannot be asked', async () =>
    expect(await connections.send(provider(1, { address: 'http://me@prometheus.svc' }))(QUERY)).to.deep.equal(
      failed('the address must not have a user'),
    ))
})
