import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { close, listen } from '../../common/program/listen.ts'
import { admissionApp } from '../../webhook/http/server.ts'
import { tlsServer } from '../../webhook/tls/server.ts'
import { diaryLog } from '../virtual-time.ts'
import { allow, defaults } from '../webhook/asking.ts'
import { aPair } from '../webhook/pairs.ts'
import { aReview } from '../webhook/reviews.ts'
import { post, withAgent } from '../webhook/tls-asking.ts'

/** Longer than the API server keeps an unused connection. */
const IDLE_MS = 100_000

describe('a connection of the API server', function () {
  this.timeout(IDLE_MS + 20_000)

  it('works after 100 s without a call', async () => {
    const { ca, cert, key } = await aPair()
    const server = tlsServer(admissionApp({ mutate: defaults, validate: allow, log: diaryLog() }), { cert, key })
    let connections = 0
    server.on('secureConnection', () => {
      connections += 1
    })
    const port = await listen(server, 0, '127.0.0.1')
    await withAgent({ ca, keepAlive: true }, async (agent) => {
      const ask = async () => (await post(port, agent, JSON.stringify(aReview()))).status
      expect(await ask()).to.equal(200)
      await pause(IDLE_MS)
      expect(await ask()).to.equal(200)
      expect(connections).to.equal(1)
    })
    await close(server)
  })
})
