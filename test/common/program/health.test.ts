import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { expect } from 'chai'
import { healthServer, type Probes } from '../../../common/program/health.ts'
import { close, listen } from '../../../common/program/listen.ts'
import { Metrics } from '../../../common/program/metrics.ts'
import { eventually } from '../../../sandbox/eventually.ts'

/** The response of a server of `probes` at `path`. */
async function answer(probes: Probes, path: string) {
  const server = healthServer(probes)
  const port = await listen(server, 0, '127.0.0.1')
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    return { status: response.status, text: await response.text() }
  } finally {
    await close(server)
  }
}

const checks = { schemas: () => undefined, certificate: () => 'expired on Monday' }

describe('healthServer', () => {
  it('lists each check, and is not ready while one fails', async () => {
    expect(await answer({ checks }, '/readyz')).to.deep.equal({
      status: 503,
      text: '[+]schemas ok\n[-]certificate: expired on Monday\n',
    })
    expect(await answer({ checks: { schemas: checks.schemas } }, '/readyz')).to.deep.equal({
      status: 200,
      text: '[+]schemas ok\nok\n',
    })
  })

  it('is live although it is not ready', async () => {
    expect(await answer({ checks }, '/livez')).to.deep.equal({ status: 200, text: 'ok\n' })
  })

  it('is not live while one of the checks for that fails', async () => {
    const live = { 'event loop': () => undefined, passes: () => 'one takes 61 s' }
    expect(await answer({ checks, live }, '/livez')).to.deep.equal({
      status: 503,
      text: '[+]event loop ok\n[-]passes: one takes 61 s\n',
    })
  })

  it('serves metrics if there are some, and no other path', async () => {
    const metrics = new Metrics()
    metrics.counter({ name: 'tries_total', help: 'Tries.' })({})
    expect((await answer({ checks, metrics }, '/metrics')).text).to.include('tries_total 1')
    expect((await answer({ checks }, '/metrics')).status).to.equal(404)
    expect((await answer({ checks }, '/constructor')).status).to.equal(404)
  })

  it('says why a metric could not be read', async () => {
    const metrics = new Metrics()
    const read = () => {
      throw new Error('no such file')
    }
    metrics.gauge({ name: 'broken', help: 'Broken.', read })
    expect(await answer({ checks, metrics }, '/metrics')).to.deep.equal({
      status: 500,
      text: 'cannot read a metric: no such file\n',
    })
  })

  it('S5: limits the time of a request, and of a connection on which nothing moves', () => {
    const { headersTimeout, requestTimeout, timeout } = healthServer({ checks })
    expect([headersTimeout, requestTimeout, timeout]).to.deep.equal([10_000, 10_000, 10_000])
  })

  it('S5: answers kubelet while callers do not read the metrics, and closes the connections of these', async () => {
    const text = 'x'.repeat(16 * 1024 * 1024) // more than fits into the buffers of both ends
    let asked = 0
    const read = async () => {
      asked += 1
      return text
    }
    const server = healthServer({ checks, maxConnections: 3, metrics: { text: read } })
    const port = await listen(server, 0, '127.0.0.1')
    const sockets: Socket[] = []
    try {
      for (let count = 1; count <= 6; count++) {
        const socket = createConnection(port, '127.0.0.1').on('error', () => undefined)
        sockets.push(socket)
        socket.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n')
        await eventually('the request', 20_000, () => expect(asked).to.equal(count))
      }
      const response = await fetch(`http://127.0.0.1:${port}/livez`, { headers: { connection: 'close' } })
      expect(await response.text()).to.equal('ok\n')
      for (const socket of sockets.slice(0, 3)) {
        await once(socket.resume(), 'close')
        expect(socket.bytesRead).to.be.below(text.length)
      }
    } finally {
      for (const socket of sockets) socket.destroy()
      await close(server)
    }
  })

  it('reads the metrics once for all callers that come during a reading', async () => {
    const readings: ((text: string) => void)[] = []
    const metrics = { text: () => new Promise<string>((resolve) => readings.push(resolve)) }
    const server = healthServer({ checks, metrics })
    let requests = 0
    server.on('request', () => requests++)
    const port = await listen(server, 0, '127.0.0.1')
    const ask = async () =>
      (await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } })).text()
    try {
      const answers = Array.from({ length: 5 }, ask)
      await eventually('the requests', 20_000, () => expect(requests).to.equal(5))
      readings[0]?.('first')
      await eventually('the next reading', 20_000, () => expect(readings).to.have.length(2))
      readings[1]?.('second')
      const texts = await Promise.all(answers)
      expect(texts.toSorted()).to.deep.equal(['first', 'second', 'second', 'second', 'second'])
    } finally {
      await close(server)
    }
  })
})
