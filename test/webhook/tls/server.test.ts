import { once } from 'node:events'
import type { Agent } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { expect } from 'chai'
import type { Issued } from '../../../certs/issue.ts'
import { close, listen } from '../../../common/program/listen.ts'
import { admissionApp } from '../../../webhook/http/server.ts'
import { secureContext, tlsServer } from '../../../webhook/tls/server.ts'
import { diaryLog } from '../../virtual-time.ts'
import { allow, defaults, holding } from '../asking.ts'
import { aPair } from '../pairs.ts'
import { aReview } from '../reviews.ts'
import { post, withAgent } from '../tls-asking.ts'

describe('tlsServer', () => {
  let [one, other]: Issued[] = []
  before('two pairs', async () => {
    ;[one, other] = await Promise.all([aPair(), aPair()])
  })
  const first = () => one ?? { ca: '', cert: '', key: '' }
  const second = () => other ?? { ca: '', cert: '', key: '' }
  const body = JSON.stringify(aReview())

  async function serving(
    story: (port: number, server: ReturnType<typeof tlsServer>) => Promise<void>,
    options: Partial<Parameters<typeof tlsServer>[1]> = {},
    validate = allow,
  ) {
    const server = tlsServer(admissionApp({ mutate: defaults, validate, log: diaryLog() }), { ...first(), ...options })
    const port = await listen(server, 0, '127.0.0.1')
    try {
      await story(port, server)
    } finally {
      await close(server)
    }
  }

  it('keeps connections longer than the API server does, and limits the time of a request', () =>
    serving(async (_port, server) => {
      const { keepAliveTimeout, headersTimeout, requestTimeout, timeout, maxConnections } = server
      expect({ keepAliveTimeout, headersTimeout, requestTimeout, timeout, maxConnections }).to.deep.equal({
        keepAliveTimeout: 120_000,
        headersTimeout: 10_000,
        requestTimeout: 15_000,
        timeout: 0,
        maxConnections: 4_000,
      })
    }))

  /** The protocol that a client of `version` ends up with, or its error. */
  const handshake = async (port: number, maxVersion: 'TLSv1.2' | 'TLSv1.3') => {
    const socket = connect({ host: '127.0.0.1', port, ca: first().ca, maxVersion, ALPNProtocols: ['h2', 'http/1.1'] })
    try {
      await once(socket, 'secureConnect')
      return [socket.getProtocol(), socket.alpnProtocol]
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code
    } finally {
      socket.destroy()
    }
  }

  it('uses TLS 1.3 and HTTP/1.1, and TLS 1.2 only if configured', async () => {
    await serving(async (port) => {
      expect(await handshake(port, 'TLSv1.3')).to.deep.equal(['TLSv1.3', 'http/1.1'])
      expect(await handshake(port, 'TLSv1.2')).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    })
    await serving(
      async (port) => {
        expect(await handshake(port, 'TLSv1.2')).to.deep.equal(['TLSv1.2', 'http/1.1'])
      },
      { minVersion: 'TLSv1.2' },
    )
  })

  it('still requires TLS 1.3 after a new certificate', () =>
    serving(async (port, server) => {
      server.setSecureContext(secureContext(first()))
      expect(await handshake(port, 'TLSv1.2')).to.equal('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    }))

  it('loses no call while certificates change, on old and new connections', () =>
    serving(async (port, server) => {
      // OpenSSL asks one of two authorities of the same name only; the serial numbers tell who answered
      const anybody = { rejectUnauthorized: false }
      const seen = new Set<unknown>()
      const ask = async (agent: Agent) => {
        const { status, serialNumber } = await post(port, agent, body)
        expect(status).to.equal(200)
        if (serialNumber !== undefined) seen.add(serialNumber) // a resumed session shows none
      }
      const anew = () => withAgent(anybody, ask)
      await withAgent({ ...anybody, keepAlive: true, maxSockets: 4 }, async (kept) => {
        for (let swaps = 0; swaps < 10; swaps++) {
          const calls = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? ask(kept) : anew()))
          await calls[0] // the others are under way
          server.setSecureContext(secureContext(swaps % 2 === 0 ? second() : first()))
          await Promise.all(calls)
        }
      })
      expect(seen.size).to.equal(2)
    }))

  it('ends a request that arrives slowly, but not one with a slow response', () => {
    const { validate, arrived, go } = holding()
    return serving(
      async (port) => {
        const slow = withAgent({ ca: first().ca }, (agent) => post(port, agent, body))
        await arrived
        const sender = connect({ host: '127.0.0.1', port, ca: first().ca })
        await once(sender, 'secureConnect')
        sender.write(
          'POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
        )
        const [answer] = await once(sender, 'data') // longer than any request may take
        sender.destroy()
        go()
        expect(String(answer)).to.match(/^HTTP\/1.1 408 /)
        expect((await slow).status).to.equal(200)
      },
      { requestMs: 1_200 },
      validate,
    )
  })

  it('survives a client that does not use TLS', () =>
    serving(async (port) => {
      const plain = connectPlain(port, '127.0.0.1')
      plain.write('POST /validate HTTP/1.1\r\n\r\n')
      plain.resume()
      await once(plain, 'close')
      expect((await withAgent({ ca: first().ca }, (agent) => post(port, agent, body))).status).to.equal(200)
    }))
})
