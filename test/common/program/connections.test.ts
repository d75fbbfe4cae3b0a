import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { expect } from 'chai'
import { limitConnections } from '../../../common/program/connections.ts'
import { close, listen } from '../../../common/program/listen.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { tlsServer } from '../../../webhook/tls/server.ts'
import { VirtualTime } from '../../virtual-time.ts'
import { aPair } from '../../webhook/pairs.ts'

/** More than fits into the buffers of both ends. */
const LARGE = Buffer.alloc(16 * 1024 * 1024)

interface Served {
  readonly server: Server
  readonly connect: () => Promise<Socket>
  readonly closed: readonly string[]
  readonly connections: { readonly open: number }
  readonly time: VirtualTime
  /** Ends the requests that are under way. */
  readonly answer: () => void
}

/**
 * Serves at most three connections: `/later` is answered by `answer`, any other path at once, `/absent` with 404 and
 * `/large` with more than a caller receives that does not read.
 */
async function serving(story: (served: Served) => Promise<void>): Promise<void> {
  const time = new VirtualTime()
  const [closed, waiting, sockets]: [string[], (() => void)[], Set<Socket>] = [[], [], new Set()]
  const server = createServer((request, response) => {
    request.resume()
    if (request.url === '/absent') response.statusCode = 404
    if (request.url === '/later') waiting.push(() => response.end('later'))
    else response.end(request.url === '/large' ? LARGE : 'now')
  })
  const connections = limitConnections({ server, max: 3, timers: time, onClosed: (why) => closed.push(why) })
  const port = await listen(server, 0, '127.0.0.1')
  const connect = async () => {
    const before = connections.open
    const count = closed.length
    const socket = createConnection(port, '127.0.0.1').on('error', () => undefined)
    sockets.add(socket)
    await once(socket, 'connect')
    await eventually('the server to accept', 20_000, () =>
      expect(connections.open + closed.length).to.equal(before + count + 1),
    )
    return socket
  }
  const answer = () => {
    for (const end of waiting.splice(0)) end()
  }
  try {
    await story({ server, connect, closed, connections, answer, time })
  } finally {
    answer()
    for (const socket of sockets) socket.destroy()
    await close(server)
  }
  await eventually('no timer to be left', 20_000, () => expect(time.pending).to.equal(0))
}

const requestOf = (path: string): string => `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n`
const ask = async (socket: Socket, path: string): Promise<string> => {
  socket.write(requestOf(path))
  return String((await once(socket, 'data'))[0])
}
const isClosed = async (socket: Socket) => {
  if (!socket.resume().destroyed) await once(socket, 'close')
}

describe('limitConnections', () => {
  it('S5: closes the oldest connection without a request for a new one', () =>
    serving(async ({ connect, closed, connections }) => {
      const [first, second] = [await connect(), await connect(), await connect()]
      await connect()
      await isClosed(first)
      await connect()
      await isClosed(second)
      expect([closed, connections.open]).to.deep.equal([['limit', 'limit'], 3])
    }))

  it('closes strangers before a connection that got a review answered, and this before it is refused a new one', () =>
    serving(async ({ connect }) => {
      const known = await connect()
      expect(await ask(known, '/now')).to.contain('200 OK')
      const stranger = await connect()
      expect(await ask(stranger, '/absent')).to.contain('404')
      const others = [await connect(), await connect()]
      await isClosed(stranger)
      for (const other of others) await ask(other, '/now')
      expect(await ask(known, '/now')).to.contain('200 OK')
      await connect()
      await isClosed(others[0] ?? known) // of those that are known, the one that was not used for the longest time
      expect(await ask(known, '/now')).to.contain('200 OK')
    }))

  it('does not close a connection with a review under way, but one whose body has not arrived', () =>
    serving(async ({ connect, answer, closed }) => {
      const [busy, announcing] = [await connect(), await connect()]
      const answered = ask(busy, '/later')
      announcing.write('POST /later HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{')
      await connect()
      await connect()
      await isClosed(announcing)
      expect(closed).to.deep.equal(['limit'])
      answer()
      expect(await answered).to.contain('later')
    }))

  it('forgets connections that are closed by their callers', () =>
    serving(async ({ connect, connections, closed }) => {
      const [one, other] = [await connect(), await connect()]
      await ask(other, '/now')
      one.destroy()
      other.destroy()
      await eventually('none to be open', 20_000, () => expect(connections.open).to.equal(0))
      expect(closed).to.deep.equal([])
    }))

  it('S5: closes a connection whose response is not read 20 s after the request', () =>
    serving(async ({ connect, closed, connections, time }) => {
      const unread = await connect()
      unread.write(requestOf('/large'))
      await eventually('the request', 20_000, () => expect(time.pending).to.equal(1))
      await time.pass(19_999)
      expect([closed, connections.open]).to.deep.equal([[], 1])
      await time.pass(1)
      expect(closed).to.deep.equal(['unread'])
      await eventually('none to be open', 20_000, () => expect(connections.open).to.equal(0))
    }))

  it('S5: closes a connection whose response is not read for a new one', () =>
    serving(async ({ connect, closed, time }) => {
      const sockets = [await connect(), await connect(), await connect()]
      for (const socket of sockets) socket.write(requestOf('/large'))
      await eventually('the requests', 20_000, () => expect(time.pending).to.equal(3))
      expect(await ask(await connect(), '/now')).to.contain('200 OK')
      expect(closed).to.deep.equal(['limit'])
    }))

  it('does not close a connection whose next request is under way when its first response is sent', () =>
    serving(async ({ connect, answer, closed, time }) => {
      const busy = await connect()
      const first = once(busy, 'data')
      busy.write(requestOf('/absent') + requestOf('/later'))
      expect(String(await first)).to.contain('404')
      await eventually('the second request', 20_000, () => expect(time.pending).to.equal(1))
      const [other] = [await connect(), await connect(), await connect()]
      await isClosed(other)
      expect(closed).to.deep.equal(['limit'])
      const second = once(busy, 'data')
      answer()
      expect(String(await second)).to.contain('later')
    }))

  it('S5: reports a connection without a TLS handshake, which ends', async () => {
    const closed: string[] = []
    const server = tlsServer(() => undefined, { ...(await aPair()), requestMs: 300 })
    limitConnections({ server, onClosed: (why) => closed.push(why) })
    const socket = createConnection(await listen(server, 0, '127.0.0.1'), '127.0.0.1')
    await once(socket.resume(), 'close')
    await close(server)
    expect(closed).to.deep.equal(['handshake'])
  })
})
