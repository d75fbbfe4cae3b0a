import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../sandbox/ports.ts'

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

  it('are not those on which somebody listens', async () => {
    const [port = 0] = await freePorts(1)
    const server = createServer().listen(port + 1, '127.0.0.1')
    await once(server, 'listening')
    expect(await freePorts(1)).not.to.include(port + 1)
    server.close()
  })
})
