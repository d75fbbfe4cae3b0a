import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../sandbox/ports.ts'

const FIRST = 20_000

describe('free ports', () => {
  it('are all different, also from those of calls at the same time, and can be listened on', async () => {
    const ports = (await Promise.all([freePorts(3), freePorts(3), freePorts(3)])).flat()
    expect(new Set(ports).size).to.equal(9)
    const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'))
    await Promise.all(servers.map((server) => once(server, 'listening')))
    for (const server of servers) server.close()
  })

  it('are not those that outgoing connections get', async () => {
    for (const port of await freePorts(20)) expect(port).to.be.within(1_024, 32_767)
  })

  it('are not those on which somebody listens, nor those that were free a moment ago', async () => {
    const [first = 0, ...others] = await freePorts(3)
    const taken = FIRST + 11_999
    const server = createServer().listen(taken, '127.0.0.1')
    await once(server, 'listening')
    const drawn = [taken, first, ...others].map((port) => port - FIRST)
    const draw = (below: number) => drawn.shift() ?? randomInt(below)
    const [found] = await freePorts(1, draw)
    expect([taken, first, ...others]).not.to.include(found)
    expect(drawn).to.deep.equal([])
    server.close()
  })
})
