import { once } from 'node:events'
import { Agent } from 'node:https'
import { connect } from 'node:tls'
import { expect } from 'chai'
import type { Issued } from '../../../certs/issue.ts'
import { listen } from '../../../common/program/listen.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { drainer } from '../../../webhook/http/drain.ts'
import { admissionApp } from '../../../webhook/http/server.ts'
import { tlsServer } from '../../../webhook/tls/server.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'
import { allow, defaults, holding } from '../asking.ts'
import { aPair } from '../pairs.ts'
import { aReview } from '../reviews.ts'
import { post } from '../tls-asking.ts'

const body = JSON.stringify(aReview())

describe('drainer', () => {
  let pair: Issued | undefined
  before('a pair', async () => {
    pair = await aPair()
  })

  /** A server and a client that keeps its connections open. */
  async function aServer(validate = allow, serveOnMs = 8_000) {
    const { ca = '', cert = '', key = '' } = pair ?? {}
    const server = tlsServer(admissionApp({ mutate: defaults, validate, log: diaryLog() }), { cert, key })
    const time = new VirtualTime()
    const drain = drainer({ server, timers: time, serveOnMs })
    const port = await listen(server, 0, '127.0.0.1')
    const agent = new Agent({ ca, keepAlive: true })
    let isGone = false
    const start = () => {
      const gone = drain()
      void gone.then(() => {
        isGone = true
      })
      return gone
    }
    return { server, time, port, ca, agent, start, ask: () => post(port, agent, body), isGone: () => isGone }
  }

  it('serves on, then closes connections with their responses, then closes idle ones', async () => {
    const { server, time, agent, start, ask } = await aServer()
    const gone = start()
    expect((await ask()).connection).to.equal('keep-alive')
    await time.pass(3_999)
    expect((await ask()).connection).to.equal('keep-alive')
    await time.pass(1)
    expect(await ask()).to.include({ status: 200, connection: 'close' }) // the kept one is used, and closed
    expect(await ask()).to.include({ status: 200, connection: 'close' }) // and new ones are let in
    expect(server.listening).to.equal(true)
    await time.pass(4_000)
    expect(server.listening).to.equal(false)
    await gone
    expect(time.pending).to.equal(0)
    agent.destroy()
  })

  it('lets a slow review end, and closes its connection', async () => {
    const { validate, arrived, go } = holding()
    const { time, agent, start, ask, isGone } = await aServer(validate)
    const gone = start()
    const slow = ask()
    await arrived
    await time.pass(29_999)
    expect(isGone()).to.equal(false)
    go()
    expect(await slow).to.include({ status: 200, connection: 'close' })
    await gone
    agent.destroy()
  })

  it('closes the connection of a review that was under way at the beginning', async () => {
    const { validate, arrived, go } = holding()
    const { time, agent, start, ask } = await aServer(validate)
    const slow = ask()
    await arrived
    const gone = start()
    await time.pass(8_000)
    go()
    expect(await slow).to.include({ status: 200, connection: 'close' })
    await gone
    agent.destroy()
  })

  it('does not wait for a connection without any request', async () => {
    const { time, start, port, ca, server } = await aServer()
    const accepted = once(server, 'secureConnection')
    const stored = connect({ host: '127.0.0.1', port, ca })
    await accepted
    const [gone, ended] = [start(), once(stored.resume(), 'close')]
    await time.pass(8_000 + 2 * 250)
    await Promise.all([gone, ended])
    expect(time.pending).to.equal(0)
  })

  it('cuts connections that are still open after 30 s', async () => {
    const { validate, arrived } = holding()
    const { time, agent, start, ask } = await aServer(validate)
    const gone = start()
    const lost = ask().catch((error: unknown) => error)
    await arrived
    await time.pass(30_000)
    await gone
    expect(await lost).to.be.an('error')
    expect(time.pending).to.equal(0)
    agent.destroy()
  })

  it('closes idle connections at once if it need not serve on', async () => {
    const { time, agent, start, ask } = await aServer(allow, 0)
    await ask()
    const gone = start()
    await time.pass(0)
    await gone
    await eventually('the caller to see it', 20_000, () => expect(Object.keys(agent.freeSockets)).to.deep.equal([]))
    agent.destroy()
  })
})
