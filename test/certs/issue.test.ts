import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createServer, get } from 'node:https'
import { expect } from 'chai'
import { issue } from '../../certs/issue.ts'
import { close, listen } from '../../common/program/listen.ts'

const clock = () => new Date('2026-11-21T12:00:00Z')

describe('issue', () => {
  it('issues a leaf for the names, signed by the CA', async () => {
    const { ca, cert, key } = await issue({ names: ['webhook.system.svc', '127.0.0.1'], clock })
    const [root, leaf] = [new X509Certificate(ca), new X509Certificate(cert)]
    expect(root.ca).to.equal(true)
    expect(leaf.ca).to.equal(false)
    expect(leaf.verify(root.publicKey)).to.equal(true)
    expect(leaf.checkPrivateKey(createPrivateKey(key))).to.equal(true)
    expect(leaf.checkHost('webhook.system.svc')).to.equal('webhook.system.svc')
    expect(leaf.checkIP('127.0.0.1')).to.equal('127.0.0.1')
    expect(leaf.checkHost('other.system.svc')).to.equal(undefined)
    expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).to.equal('prime256v1')
  })

  it('issues certificates that are valid from an hour ago, for the requested time', async () => {
    const leaf = new X509Certificate((await issue({ names: ['a'], clock, leafDays: 2 })).cert)
    expect(leaf.validFromDate).to.deep.equal(new Date('2026-11-21T11:00:00Z'))
    expect(leaf.validToDate).to.deep.equal(new Date('2026-11-23T12:00:00Z'))
  })

  it('issues a leaf that a client with the CA trusts', async () => {
    const { ca, cert, key } = await issue({ names: ['127.0.0.1'], clock: () => new Date() })
    const server = createServer({ cert, key }, (_request, response) => response.end('trusted'))
    const port = await listen(server, 0, '127.0.0.1')
    const status = await new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, ca, agent: false }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      )
    })
    expect(status).to.equal(200)
    await close(server)
  })
})
