import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePorts } from '../../sandbox/ports.ts'
import { run } from '../../sandbox/run.ts'
import { send } from '../../sandbox/traffic/burst.ts'
import { whyNoNamespace } from '../../sandbox/traffic/namespace.ts'
import { relay } from '../../sandbox/traffic/relay.ts'
import { sidesOf } from '../../sandbox/traffic/sides.ts'

describe('requests', () => {
  it('each use a new connection, and are counted by the pod that answered', async () => {
    let connections = 0
    const server = createServer((_, response) => response.end(`pod-${++connections % 2}`))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    let opened = 0
    server.on('connection', () => opened++)
    const { port } = server.address() as AddressInfo
    const answers = await send({ count: 50, host: '127.0.0.1', port })
    server.close()
    expect(answers).to.deep.equal({ byPod: { 'pod-0': 25, 'pod-1': 25 }, failures: {} })
    expect(opened).to.equal(50)
  })

  it('that fail are counted by their error', async () => {
    const [port = 0] = await freePorts(1)
    const answers = await send({ count: 3, host: '127.0.0.1', port })
    expect(answers).to.deep.equal({ byPod: {}, failures: { ECONNREFUSED: 3 } })
  })

  it('without an answer time out, and no more are sent when the time is over', async () => {
    const silent = createTcpServer()
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo
    const times = [0, 0, 0] // at the start, and when each of two clients starts
    const limits = { parallel: 2, requestMs: 20, totalMs: 1, now: () => times.shift() ?? 1 }
    const answers = await send({ count: 5, host: '127.0.0.1', port }, limits)
    silent.close()
    expect(answers).to.deep.equal({ byPod: {}, failures: { timeout: 2, 'not sent': 3 } })
  })

  it('do not time out while this process stands still', async () => {
    const server = createServer((_, response) => response.end('pod'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const sent = send({ count: 4, host: '127.0.0.1', port }, { requestMs: 200 })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
    expect(await sent).to.deep.equal({ byPod: { pod: 4 }, failures: {} })
    server.close()
  })

  it('are limited in number', async () => {
    const refused = await send({ count: 1_000_000, host: '127.0.0.1', port: 1 }).catch(String)
    expect(refused).to.equal('RangeError: count must be 0 to 100000, found 1000000')
  })

  it('are counted for the experiment or its source', () => {
    const answers = { byPod: { a: 3, b: 2, c: 1 }, failures: { timeout: 4, ECONNREFUSED: 1 } }
    expect(sidesOf(answers, new Set(['b', 'd']))).to.deep.equal({ source: 4, experiment: 2, failed: 5 })
  })
})

describe('a network namespace', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'traffic-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is not possible without its tools, and the message names the package', async function () {
    if (process.platform !== 'linux') return this.skip()
    expect(await whyNoNamespace(folder))
      .to.contain('`unshare` was not found')
      .and.to.contain('apt-get install util-linux')
    for (const tool of ['unshare', 'nsenter', 'setpriv', 'ip']) symlinkSync('/bin/true', join(folder, tool))
    expect(await whyNoNamespace(folder))
      .to.contain('`nft` was not found')
      .and.to.contain('apt-get install nftables')
    symlinkSync('/bin/true', join(folder, 'nft'))
    expect(await whyNoNamespace(folder)).to.equal(undefined)
  })

  it('is not possible if the kernel refuses it, and the message contains the error', async function () {
    if (process.platform !== 'linux') return this.skip()
    for (const tool of ['nsenter', 'setpriv', 'ip', 'nft']) symlinkSync('/bin/true', join(folder, tool))
    const refusing = '#!/bin/sh\necho "unshare failed: Operation not permitted" >&2\nexit 1\n'
    await run('/bin/sh', ['-c', `cat > ${folder}/unshare && chmod +x ${folder}/unshare`], { input: refusing })
    expect(await whyNoNamespace(folder)).to.match(
      /did not create a network namespace.*Operation not permitted; are user/,
    )
  })

  it('is connected by a Unix socket, both ways', async () => {
    const echo = createServer((asked, response) => asked.pipe(response))
    await once(echo.listen(0, '127.0.0.1'), 'listening')
    const { port } = echo.address() as AddressInfo
    const path = join(folder, 'bridge.sock')
    const far = await relay({ from: { path }, to: { host: '127.0.0.1', port } })
    const near = await relay({ from: { host: '127.0.0.1', port: 0 }, to: { path } })
    const answer = await fetch(`http://127.0.0.1:${(near.address() as AddressInfo).port}`, {
      method: 'POST',
      body: 'there and back',
      headers: { connection: 'close' },
    })
    expect(await answer.text()).to.equal('there and back')
    for (const server of [near, far, echo]) server.close()
  })
})
