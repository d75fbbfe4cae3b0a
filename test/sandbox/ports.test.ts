import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePorts, portFinder } from '../../sandbox/ports.ts'

const FIRST = 20_000
const BLOCK = 200
const SOURCE = join(import.meta.dirname, '../../sandbox/ports.ts')

const blockOf = (port: number): number => Math.floor((port - FIRST) / BLOCK)

/** The ports that another process finds. */
async function portsElsewhere(count: number): Promise<readonly number[]> {
  const script = `import { freePorts } from '${SOURCE}'; console.log(JSON.stringify(await freePorts(${count})))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return JSON.parse(stdout)
}

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

  it('are those of one block, which no other process uses', async () => {
    const [mine, others] = [await freePorts(3), await portsElsewhere(3)]
    const [block, ...more] = new Set(mine.map(blockOf))
    expect(more).to.deep.equal([])
    expect(others.map(blockOf)).not.to.include(block)
  })

  it('are those of the next block if another process uses the first one that is drawn', async () => {
    const drawn = 17
    const [first = 0] = await portFinder(() => drawn)(1)
    const [next = 0] = await portFinder(() => drawn)(1)
    expect(blockOf(first)).to.be.at.least(drawn)
    expect(blockOf(next)).to.be.greaterThan(blockOf(first))
  })

  it('are not those on which somebody listens, nor those that were free a moment ago', async () => {
    const find = portFinder()
    const [first = 0, second = 0] = await find(2)
    const taken = second + 1
    const server = createServer()
    await once(server.listen(taken, '127.0.0.1'), 'listening')
    expect(await find(2)).to.deep.equal([taken + 1, taken + 2])
    expect(first).to.equal(second - 1)
    server.close()
  })

  it('are returned again when all others of the block were', async () => {
    const find = portFinder()
    const all = await find(BLOCK - 1)
    expect(new Set(all).size).to.equal(BLOCK - 1)
    expect(await find(1)).to.deep.equal(all.slice(0, 1))
  })

  it('are missed with an error that names the block', async () => {
    const find = portFinder()
    const [port = 0] = await find(1)
    const first = FIRST + BLOCK * blockOf(port)
    const error = await find(BLOCK).catch((thrown: unknown) => thrown)
    expect(String(error)).to.equal(`Error: there are no ${BLOCK} free ports from ${first} to ${first + BLOCK - 1}`)
  })
})
