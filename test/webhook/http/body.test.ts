import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import express, { type ErrorRequestHandler } from 'express'
import { close, listen } from '../../../common/program/listen.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { readBody } from '../../../webhook/http/body.ts'
import { inFlight } from '../../../webhook/http/in-flight.ts'
import { RequestError } from '../../../webhook/http/request-error.ts'
import { VirtualTime } from '../../virtual-time.ts'

const KIB = 1024
const POST = 'POST / HTTP/1.1\r\nhost: a\r\n'
const announced = (bytes: number): string => `${POST}content-length: ${bytes}\r\n\r\n`

interface Served {
  readonly time: VirtualTime
  readonly flight: ReturnType<typeof inFlight>
  /** Sends this text on a new connection. */
  readonly send: (text: string) => Promise<Socket>
  /** Waits until `bytes` of memory are reserved. */
  readonly holds: (bytes: number) => Promise<void>
  /** Waits until this number of bodies is arriving. */
  readonly arriving: (count: number) => Promise<void>
}

/** Serves an app that answers with the length of the body, or with the reason of its rejection. */
async function serving(story: (served: Served) => Promise<void>, maxBytes = 64 * KIB * KIB): Promise<void> {
  const [time, flight, app, sockets] = [new VirtualTime(), inFlight({ maxBytes }), express(), new Set<Socket>()]
  app.post('/', readBody(flight, { timers: time }), (request, response) => {
    const text = request.body.toString()
    response.send(`${text.length} bytes, ${new Set(text).size} different`)
  })
  const refused: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    if (error instanceof RequestError) response.status(error.status).send(error.reason)
    else response.status(500).send(String(error))
  }
  app.use(refused)
  const server = createServer(app)
  const port = await listen(server, 0, '127.0.0.1')
  const send = async (text: string) => {
    const socket = connect(port, '127.0.0.1')
    sockets.add(socket)
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }
  const holds: Served['holds'] = (bytes) =>
    eventually(`${bytes} bytes to be held`, 20_000, () => void expect(flight.bytes.used).to.equal(bytes))
  const arriving: Served['arriving'] = (count) =>
    eventually(`${count} bodies to arrive`, 20_000, () => void expect(flight.arriving.size).to.equal(count))
  try {
    await story({ time, flight, send, holds, arriving })
  } finally {
    for (const socket of sockets) socket.destroy()
    await close(server)
  }
}

const answerOf = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0])

/** Sends `text` from another thread, and tells when the kernel has it. Its thread runs while this one is blocked. */
const SENDER = `
  const { workerData: { port, texts, sent } } = require('node:worker_threads')
  const socket = require('node:net').connect(port, '127.0.0.1', () => socket.write(texts[0]))
  const next = () => {
    if (Atomics.load(sent, 0) !== 1) return setImmediate(next)
    socket.write(texts[1], () => { Atomics.store(sent, 0, 2); Atomics.notify(sent, 0) })
  }
  next()
  let answer = ''
  socket.on('data', (bytes) => { answer += bytes }).on('close', () => require('node:worker_threads').parentPort.postMessage(answer))
`

describe('readBody', () => {
  it('reads what arrived while the process was blocked, before it judges that the body arrives too slowly', async () => {
    const silenceMs = 40
    const sent = new Int32Array(new SharedArrayBuffer(4))
    const app = express()
    app.post('/', readBody(inFlight({ maxBytes: KIB * KIB }), { silenceMs }), (request, response) => {
      response.set('connection', 'close').send(`${request.body.length} bytes`)
    })
    const refused: ErrorRequestHandler = (error: RequestError, _request, response, _next) =>
      void response.status(error.status).send(error.reason)
    app.use(refused)
    const server = createServer(app)
    server.on('request', (request) =>
      request.once('data', () => {
        const blockedAt = performance.now()
        Atomics.store(sent, 0, 1)
        Atomics.wait(sent, 0, 1)
        while (performance.now() - blockedAt <= 2 * silenceMs); // until the timer is due
      }),
    )
    const port = await listen(server, 0, '127.0.0.1')
    const texts = [`${announced(8)}half`, 'half']
    const sender = new Worker(SENDER, { eval: true, workerData: { port, texts, sent } })
    const [answer] = await once(sender, 'message')
    await close(server)
    expect(String(answer)).to.contain('8 bytes')
  })

  it('returns the bytes of a body that arrives in parts', () =>
    serving(async ({ send, arriving, holds }) => {
      const socket = await send(announced(100 * KIB))
      await arriving(1)
      for (let part = 0; part < 100; part++) socket.write('ab'.repeat(KIB / 2))
      expect(await answerOf(socket)).to.contain(`${100 * KIB} bytes, 2 different`)
      await holds(0)
    }))

  it('S5: reserves nothing for bytes that are announced, and twice what has arrived at most', () =>
    serving(async ({ send, arriving, holds, flight }) => {
      const socket = await send(announced(7 * KIB * KIB))
      await arriving(1)
      expect(flight.bytes.used).to.equal(0)
      socket.write('a')
      await holds(16 * KIB)
      socket.write('a'.repeat(16 * KIB))
      await holds(32 * KIB)
    }))

  it('reserves no more than the announced bytes', () =>
    serving(async ({ send, holds }) => {
      await send(`${announced(99)}a`)
      await holds(99)
    }))

  it('S5: ends a request whose body has not begun after 2 s, and its connection', () =>
    serving(async ({ send, arriving, time }) => {
      const socket = await send(announced(9))
      await arriving(1)
      await time.pass(1_999)
      await arriving(1)
      await time.pass(1)
      expect(await answerOf(socket)).to.match(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*stalled$/i)
      await once(socket, 'close')
      expect(time.pending).to.equal(0)
    }))

  it('S5: ends a body that stalls for 2 s, and frees its bytes', () =>
    serving(async ({ send, holds, time }) => {
      const socket = await send(announced(9))
      await time.pass(1_500)
      socket.write('a')
      await holds(9)
      await time.pass(1_999)
      await holds(9)
      await time.pass(1)
      expect(await answerOf(socket)).to.match(/^HTTP\/1\.1 408 /)
      await holds(0)
    }))

  it('S5: ends a body that arrives byte by byte after 5 s', () =>
    serving(async ({ send, time, flight, arriving }) => {
      const socket = await send(announced(99))
      await arriving(1)
      for (let part = 1; part <= 4; part++) {
        socket.write('a')
        await eventually('the byte', 20_000, () => expect(time.pending).to.equal(2))
        await eventually('the bytes', 20_000, () => expect(flight.bytes.used).to.equal(99))
        await time.pass(1_200)
      }
      await time.pass(200)
      expect(await answerOf(socket)).to.match(/^HTTP\/1\.1 408 /)
    }))

  it('S5: evicts the body that has been arriving for the longest time when there is no memory left', () =>
    serving(async ({ send, holds, arriving }) => {
      const slow = await send(`${announced(40 * KIB)}${'a'.repeat(30 * KIB)}`)
      await holds(30 * KIB)
      const quick = await send(announced(30 * KIB))
      await arriving(2)
      const evicted = answerOf(slow)
      quick.write('b'.repeat(30 * KIB))
      expect(await answerOf(quick)).to.match(/^HTTP\/1\.1 200 [\s\S]*30720 bytes/)
      expect(await evicted).to.match(/^HTTP\/1\.1 503 [\s\S]*connection: close/i)
    }, 50 * KIB))

  it('rejects the oldest body itself, rather than a newer one', () =>
    serving(async ({ send, holds, arriving, flight }) => {
      const oldest = await send(announced(60 * KIB))
      await arriving(1)
      await send(`${announced(30 * KIB)}${'a'.repeat(20 * KIB)}`)
      await holds(20 * KIB)
      oldest.write('a'.repeat(59 * KIB))
      expect(await answerOf(oldest)).to.match(/^HTTP\/1\.1 503 /)
      expect([flight.bytes.used, flight.arriving.size]).to.deep.equal([20 * KIB, 1])
    }, 50 * KIB))

  it('keeps the whole memory below the budget, however the bytes are cut', () =>
    serving(async ({ send, flight, holds }) => {
      let most = 0
      const take = flight.bytes.take.bind(flight.bytes)
      flight.bytes.take = (amount) => {
        const free = take(amount)
        most = Math.max(most, flight.bytes.used)
        return free
      }
      const sockets = await Promise.all(
        Array.from({ length: 20 }, () => send(`${announced(20 * KIB)}${'a'.repeat(20 * KIB)}`)),
      )
      const answers = await Promise.all(sockets.map(answerOf))
      expect(answers.every((answer) => /^HTTP\/1\.1 (200|503) /.test(answer))).to.equal(true)
      expect(most).to.be.within(20 * KIB, 100 * KIB)
      await holds(0)
    }, 100 * KIB))

  it('rejects a chunked body when it gets longer than 7 MiB', () =>
    serving(async ({ send, holds }) => {
      const socket = await send(`${POST}transfer-encoding: chunked\r\n\r\n`)
      const answer = answerOf(socket)
      const chunk = `${(512 * KIB).toString(16)}\r\n${'a'.repeat(512 * KIB)}\r\n`
      for (let part = 0; part < 15; part++) socket.write(chunk)
      socket.write('0\r\n\r\n')
      expect(await answer).to.match(/^HTTP\/1\.1 413 /)
      await holds(0)
    }))

  it('forgets a caller that has disconnected', () =>
    serving(async ({ send, arriving, time }) => {
      const socket = await send(announced(9))
      await arriving(1)
      socket.destroy()
      await arriving(0)
      expect(time.pending).to.equal(0)
    }))

  it('accepts a request without a body', () =>
    serving(async ({ send }) => {
      expect(await answerOf(await send(`${POST}\r\n`))).to.contain('0 bytes')
    }))
})
