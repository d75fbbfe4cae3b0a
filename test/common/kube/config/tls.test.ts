import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { bareCluster, bareUser } from '../../../../common/kube/config/kubeconfig.ts'
import { clientTls, serverTls } from '../../../../common/kube/config/tls.ts'

describe('the TLS settings of a kubeconfig', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'pem')
  writeFileSync(file, 'from a file')

  it('have authority and name of the API server', () => {
    expect(serverTls(bareCluster({ caData: 'data', tlsServerName: 'api' }))).to.deep.equal({
      ca: 'data',
      servername: 'api',
    })
    expect(serverTls(bareCluster({ caFile: file }))).to.deep.equal({ ca: 'from a file' })
    expect(serverTls(bareCluster({ isInsecure: true }))).to.deep.equal({ rejectUnauthorized: false })
    expect(serverTls(bareCluster({}))).to.deep.equal({})
  })

  it('have certificate and key of the user', () => {
    expect(clientTls(bareUser({ certData: 'data', keyFile: file }))).to.deep.equal({ cert: 'data', key: 'from a file' })
    expect(clientTls(bareUser({ certFile: file, keyData: 'data' }))).to.deep.equal({ cert: 'from a file', key: 'data' })
    expect(clientTls(bareUser({ token: 'a' }))).to.deep.equal({})
  })

  it('name the field of a file that cannot be read', () => {
    const none = join(folder, 'none')
    expect(() => serverTls(bareCluster({ caFile: none }))).to.throw(`the cluster.certificate-authority: ${none} cannot`)
    expect(() => clientTls(bareUser({ certData: 'a', keyFile: none }))).to.throw(`the user.client-key: ${none} cannot`)
  })
})
