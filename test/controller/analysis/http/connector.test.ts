import { expect } from 'chai'
import type { Endpoint, Resolve } from '../../../../controller/analysis/http/connector.ts'
import type { GuardedOptions } from '../../../../controller/analysis/http/guarded.ts'
import { answering, type Served, serve, serveBytes } from '../../../fakes/wire.ts'
import { VirtualTime } from '../../../virtual-time.ts'
import { failed, QUERY, World } from './serving.ts'

const REFUSED = failed('address not allowed')
const REACHED = { is: 'json', json: {} }

/** Of each kind one; `addresses.test.ts` has all. */
const FORBIDDEN = [
  ...['127.0.0.1', '0.0.0.0', '169.254.169.254', '224.0.0.1', '255.255.255.255', '100.100.100.200', '168.63.129.16'],
  ...['::1', '::', 'fe80::1', 'ff02::1', 'fd00:ec2::254', '::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::a9fe:a9fe'],
  ...['64:ff9b:1::1', '2002:7f00:1::'],
]

/** Other spellings of addresses of this machine. */
const SPELLINGS = [
  ...['0x7f.1', '2130706433', '017700000001', '127.1', '127.0.0.1.', '0', '0x0', '①②⑦.0.0.1', '127.255.255.254'],
  ...['[0:0:0:0:0:0:0:1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::7f00:1]', '[::0]'],
]

const literal = (address: string) => (address.includes(':') ? `[${address}]` : address)

/** Answers one list of addresses after the other, and then the last one again and again. */
function resolving(...answers: readonly (readonly string[])[]): {
  readonly resolve: Resolve
  readonly asked: string[]
} {
  const asked: string[] = []
  return { asked, resolve: async (name) => answers[Math.min(asked.push(name), answers.length) - 1] ?? [] }
}

describe('guardedConnector', () => {
  const world = new World()
  let server: Served
  beforeEach(async () => {
    server = await world.started(serve(answering({}, { connection: 'close' })))
  })
  afterEach(() => world.close())

  const ask = (host: string, options: Partial<GuardedOptions> = {}) =>
    world.client({ address: `http://${host}:${server.port}` }, { loopback: 'refuse', ...options }).send(QUERY)

  for (const host of [...FORBIDDEN.map(literal), ...SPELLINGS])
    it(`refuses the literal ${host}`, async () => {
      const resolve: Resolve = () => expect.fail('a literal is not resolved')
      expect(await ask(host, { resolve })).to.deep.equal(REFUSED)
      expect(server.connections).to.equal(0)
    })

  for (const address of FORBIDDEN)
    it(`refuses a name with the address ${address}, alone or beside another`, async () => {
      for (const answer of [[address], ['192.0.2.1', address]])
        expect(await ask('metrics.test', resolving(answer))).to.deep.equal(REFUSED)
      expect(server.connections).to.equal(0)
    })

  for (const name of ['localhost', 'LOCALHOST'])
    it(`refuses ${name}, as the system resolves it, but not on a laptop`, async () => {
      expect(await ask(name)).to.deep.equal(REFUSED)
      expect(server.connections).to.equal(0)
      expect(await ask(name, { loopback: 'allow' })).to.deep.equal(REACHED)
    })

  it('dials the address that it checked, and resolves a name once for each connection', async () => {
    const { resolve, asked } = resolving(['127.0.0.1'])
    const { send } = world.client({ address: `http://metrics.test:${server.port}` }, { resolve })
    expect([await send(QUERY), await send(QUERY)]).to.deep.equal([REACHED, REACHED])
    expect([asked, server.connections]).to.deep.equal([['metrics.test', 'metrics.test'], 2])
    expect(server.seen[0]?.headers.host).to.equal(`metrics.test:${server.port}`)
  })

  it('refuses a name that leads to a forbidden address from the second connection on', async () => {
    const { resolve, asked } = resolving(['127.0.0.1'], ['169.254.169.254'])
    const { send } = world.client({ address: `http://metrics.test:${server.port}` }, { resolve })
    expect([await send(QUERY), await send(QUERY), await send(QUERY)]).to.deep.equal([REACHED, REFUSED, REFUSED])
    expect([asked.length, server.connections]).to.deep.equal([3, 1])
  })

  it('says that a name has no address, or was not found', async () => {
    expect(await ask('metrics.test', resolving([]))).to.deep.equal(failed('name not found'))
    expect(await ask('metrics.invalid'))
      .to.have.property('message')
      .that.is.oneOf(['name not found', 'no answer from DNS'])
  })

  describe('with an API server', () => {
    const { resolve } = resolving(['127.0.0.1'])
    const cases: Readonly<Record<string, readonly [known: string, host: string]>> = {
      'by its address': ['127.0.0.1', '127.0.0.1'],
      'by another form of its address': ['127.0.0.1', '[::ffff:127.0.0.1]'],
      'by a name with its address': ['127.0.0.1', 'other.test'],
      'by its name': ['api.test', 'API.test.'],
      'by another name': ['api.test', 'other.test'],
      'by the address of its name': ['api.test', '127.0.0.1'],
    }
    for (const [how, [known, host]] of Object.entries(cases))
      it(`refuses it ${how}, also on a laptop`, async () => {
        const apiServers = (): readonly Endpoint[] => [{ host: known, port: server.port }]
        expect(await ask(host, { apiServers, resolve, loopback: 'allow' })).to.deep.equal(REFUSED)
        expect(server.connections).to.equal(0)
      })

    it('N37g: refuses one that came later, at the port of its endpoints', async () => {
      const listed: Endpoint[] = []
      const apiServers = () => [{ host: '198.18.0.1', port: 443 }, ...listed]
      expect(await ask('node.test', { apiServers, resolve, loopback: 'allow' })).to.deep.equal(REACHED)
      listed.push({ host: '127.0.0.1', port: server.port })
      expect(await ask('node.test', { apiServers, resolve, loopback: 'allow' })).to.deep.equal(REFUSED)
    })

    it('refuses its name also when each answer has another address', async () => {
      const { resolve } = resolving(['127.0.0.2'], ['127.0.0.1'])
      const apiServers = () => [{ host: 'api.test', port: server.port }]
      expect(await ask('API.test.', { apiServers, resolve, loopback: 'allow' })).to.deep.equal(REFUSED)
    })

    it('allows another port of its machine, without resolving its name', async () => {
      const { resolve, asked } = resolving(['127.0.0.1'])
      const apiServers = () => [{ host: 'api.test', port: server.port + 1 }]
      expect(await ask('other.test', { apiServers, resolve, loopback: 'allow' })).to.deep.equal(REACHED)
      expect(asked).to.deep.equal(['other.test'])
    })
  })

  describe('with a time limit', () => {
    it('gives up a name that nobody resolves, and closes a connection that comes later', async () => {
      const time = new VirtualTime()
      const { promise, resolve: answer } = Promise.withResolvers<readonly string[]>()
      const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>()
      const resolve: Resolve = () => {
        isAsked()
        return promise
      }
      const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
      const late = await world.started(serveBytes((socket) => socket.once('close', isClosed)))
      const address = `http://metrics.test:${late.port}`
      const reply = world.client({ address }, { resolve, timers: time }).send(QUERY)
      await asked
      await time.pass(2_999)
      expect(await Promise.race([reply, 'none yet'])).to.equal('none yet')
      await time.pass(1)
      expect(await reply).to.deep.equal(failed('no connection within 3 s'))
      expect([time.pending, late.connections]).to.deep.equal([0, 0])
      answer(['127.0.0.1'])
      await closed
    })

    it('gives up a server that answers no TLS', async () => {
      const time = new VirtualTime()
      const { promise: greeted, resolve: isGreeted } = Promise.withResolvers<void>()
      const silent = await world.started(serveBytes((socket) => socket.once('data', () => isGreeted())))
      const reply = world.client({ address: `https://127.0.0.1:${silent.port}` }, { timers: time }).send(QUERY)
      await greeted
      await time.pass(3_000)
      expect(await reply).to.deep.equal(failed('no connection within 3 s'))
    })
  })
})
