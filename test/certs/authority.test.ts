import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createServer, get } from 'node:https'
import { expect } from 'chai'
import { type CertificatePair, newAuthority, newLeaf, renewedAuthority } from '../../certs/authority.ts'
import { close, listen } from '../../common/program/listen.ts'

const DAY_MS = 86_400_000
const LEAF = { names: ['127.0.0.1'], days: 90 }
const clock = () => new Date()
const later = () => new Date(Date.now() + DAY_MS)

/** The HTTP status that a client that trusts `ca` gets, or the code of its TLS error. */
async function called(leaf: CertificatePair, ca: string): Promise<unknown> {
  const server = createServer(leaf, (_request, response) => response.end())
  const port = await listen(server, 0, '127.0.0.1')
  const answer = await new Promise((resolve) => {
    get({ host: '127.0.0.1', port, ca, agent: false }, (response) => resolve(response.resume().statusCode)).on(
      'error',
      (error: NodeJS.ErrnoException) => resolve(error.code),
    )
  })
  await close(server)
  return answer
}

describe('an authority', () => {
  it('keeps its key and name when it is renewed, so that former leaves verify under the new certificate', async () => {
    const authority = await newAuthority({ clock, days: 1 })
    const leaf = await newLeaf(authority, { ...LEAF, clock })
    const renewed = await renewedAuthority(authority, { clock: later, days: 3_650 })
    expect(renewed.key).to.equal(authority.key)
    const [before, after] = [new X509Certificate(authority.cert), new X509Certificate(renewed.cert)]
    expect(after.validToDate.getTime()).to.be.greaterThan(before.validToDate.getTime())
    expect(after.subject).to.equal(before.subject)
    expect(after.serialNumber).to.not.equal(before.serialNumber)
    const now = await renewedAuthority(authority, { clock, days: 3_650 })
    expect(await called(leaf, now.cert)).to.equal(200)
  })

  it('with another key does not verify leaves of the first, unless both roots are published', async () => {
    const [first, second] = await Promise.all([newAuthority({ clock, days: 9 }), newAuthority({ clock, days: 9 })])
    const leaf = await newLeaf(first, { ...LEAF, clock })
    expect(await called(leaf, second.cert)).to.be.a('string')
    expect(await called(leaf, second.cert + first.cert)).to.equal(200)
  })

  it('signs with a key in another PEM format', async () => {
    const authority = await newAuthority({ clock, days: 9 })
    const key = `${createPrivateKey(authority.key).export({ type: 'sec1', format: 'pem' })}`
    expect(key).to.contain('BEGIN EC PRIVATE KEY')
    expect(await called(await newLeaf({ ...authority, key }, { ...LEAF, clock }), authority.cert)).to.equal(200)
  })
})
