import { expect } from 'chai'
import { type CertificatePair, newAuthority, newLeaf } from '../../../../certs/authority.ts'
import { answering, failed, QUERY, serve, World } from './serving.ts'

const clock = () => new Date()
const inThePast = () => new Date(Date.now() - 10 * 86_400_000)
const bundle = ({ cert }: CertificatePair) => Buffer.from(cert).toString('base64')
const NAMES = ['127.0.0.1', 'metrics.test']

describe('guardedClient, over TLS', () => {
  const world = new World()
  let authority: CertificatePair
  before(async () => {
    authority = await newAuthority({ clock: inThePast, days: 20 })
  })
  afterEach(() => world.close())

  /** Asks a server with a certificate for `names`. */
  const asked = async ({ host = '127.0.0.1', names = NAMES, issued = clock, days = 1, trusted = authority } = {}) => {
    const leaf = await newLeaf(authority, { names, clock: issued, days })
    const { port } = await world.started(serve(answering({}), leaf))
    const resolve = async () => ['127.0.0.1']
    return world.client({ address: `https://${host}:${port}`, caBundle: bundle(trusted) }, { resolve }).send(QUERY)
  }

  for (const host of NAMES)
    it(`trusts a certificate of the caBundle for ${host}`, async () =>
      expect(await asked({ host })).to.deep.equal({ is: 'json', json: {} }))

  it('does not trust another authority', async () =>
    expect(await asked({ trusted: await newAuthority({ clock, days: 1 }) })).to.deep.equal(
      failed('certificate not trusted'),
    ))

  it('does not trust the certificate of another host', async () => {
    expect(await asked({ names: ['other.test'] })).to.deep.equal(failed('certificate of another name'))
    expect(await asked({ names: ['metrics.test'] })).to.deep.equal(failed('certificate of another name'))
  })

  it('does not trust an expired certificate', async () =>
    expect(await asked({ issued: inThePast })).to.deep.equal(failed('certificate expired')))

  it('trusts no unknown authority without a caBundle, whatever the environment says', async () => {
    const leaf = await newLeaf(authority, { names: NAMES, clock, days: 1 })
    const server = await world.started(serve(answering({}), leaf))
    const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env
    const { emitWarning } = process
    const warnings: unknown[] = []
    process.emitWarning = (warning: unknown) => void warnings.push(warning) // of Node, about this variable
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const reply = await world.client({ address: `https://127.0.0.1:${server.port}` }).send(QUERY)
      expect(reply).to.deep.equal(failed('certificate not trusted'))
      expect(server.seen).to.deep.equal([])
      for (const warning of warnings) expect(warning).to.contain('NODE_TLS_REJECT_UNAUTHORIZED')
    } finally {
      process.emitWarning = emitWarning
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
    }
  })

  it('says that a server has no TLS', async () => {
    const { port } = await world.started(serve(answering({})))
    expect(await world.client({ address: `https://127.0.0.1:${port}` }).send(QUERY)).to.deep.equal(
      failed('no TLS connection'),
    )
  })
})
