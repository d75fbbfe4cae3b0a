import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type CertificatePair, newAuthority, newLeaf } from '../../../../certs/authority.ts'
import { clientWith, type KubeClient } from '../../../../common/kube/client/client.ts'
import { Credentials } from '../../../../common/kube/client/credentials.ts'
import { type ChosenKubeconfig, chooseKubeconfig } from '../../../../common/kube/client/kubeconfig-choice.ts'
import { realTimers } from '../../../../common/program/clock.ts'
import type { Vars } from '../../../../common/program/env.ts'
import { type AProxy, httpProxy, socksProxy } from '../../../fakes/proxy.ts'
import { answering, type Served, serve } from '../../../fakes/wire.ts'

const POD = { kind: 'Pod', metadata: { name: 'cart' } }
const PATH = '/api/v1/namespaces/shop/pods/cart'
const AUTHORITY = { clock: () => new Date(), days: 1 }

describe('Credentials: proxies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'))
  let [authority, leaf] = [undefined as CertificatePair | undefined, undefined as CertificatePair | undefined]
  let [server, proxy, client] = [
    undefined as Served | undefined,
    undefined as AProxy | undefined,
    undefined as KubeClient | undefined,
  ]
  before(async () => {
    authority = await newAuthority(AUTHORITY)
    leaf = await newLeaf(authority, { ...AUTHORITY, names: ['api.example', '10.9.9.9', '127.0.0.1', 'localhost'] })
  })
  after(() => rmSync(folder, { recursive: true }))
  afterEach(async () => {
    await client?.close()
    await proxy?.close()
    await server?.close()
    ;[server, proxy, client] = [undefined, undefined, undefined]
  })

  const kubeconfigOf = (cluster: object) => {
    const ca = Buffer.from(authority?.cert ?? '').toString('base64')
    const path = join(folder, 'config')
    const whole = { server: 'https://api.example:6443', 'certificate-authority-data': ca, ...cluster }
    writeFileSync(
      path,
      JSON.stringify({
        'current-context': 'a',
        clusters: [{ name: 'a', cluster: whole }],
        users: [{ name: 'a', user: { token: 'mine' } }],
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      }),
    )
    return path
  }

  function clientOf(kubeconfig: ChosenKubeconfig, vars: Vars): KubeClient {
    const timers = realTimers()
    return clientWith(new Credentials({ kubeconfig, vars, timers }), { userAgent: 'test', timers, random: () => 0 })
  }

  /** Asks once, with such a cluster and environment. Resolves to the requests that the proxy saw. */
  async function asked(
    kind: 'http' | 'https' | 'socks',
    cluster: (port: number) => object,
    vars: (port: number) => Vars = () => ({}),
  ) {
    const target = await serve(answering(POD), leaf)
    server = target
    const through = await (kind === 'socks'
      ? socksProxy(target.port)
      : httpProxy(target.port, kind === 'https' ? leaf : undefined))
    proxy = through
    const variables = vars(through.port)
    const kubeconfig = chooseKubeconfig({ kubeconfig: kubeconfigOf(cluster(through.port)) }, variables)
    client = clientOf(kubeconfig, variables)
    expect(await client.request({ verb: 'get', path: PATH })).to.deep.equal(POD)
    expect(target.seen.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer mine'])
    return through.seen
  }

  it('goes through the proxy of the cluster', async () =>
    expect(await asked('http', (port) => ({ 'proxy-url': `http://127.0.0.1:${port}` }))).to.deep.equal([
      'CONNECT api.example:6443',
    ]))

  it('tells the proxy name and password of its URL', async () =>
    expect(await asked('http', (port) => ({ 'proxy-url': `http://me:secret@127.0.0.1:${port}` }))).to.deep.equal([
      'CONNECT api.example:6443 Basic bWU6c2VjcmV0',
    ]))

  it('goes through a proxy that is reached over TLS, which the same authority signs', async () =>
    expect(await asked('https', (port) => ({ 'proxy-url': `https://localhost:${port}` }))).to.deep.equal([
      'CONNECT api.example:6443',
    ]))

  it('goes through a SOCKS proxy, which finds the host', async () =>
    expect(await asked('socks', (port) => ({ 'proxy-url': `socks5://127.0.0.1:${port}` }))).to.deep.equal([
      'socks5 api.example:6443',
    ]))

  it('goes through the proxy of the environment, to a name or an address', async () => {
    const vars = (port: number) => ({ https_proxy: `127.0.0.1:${port}` })
    expect(await asked('http', () => ({}), vars)).to.deep.equal(['CONNECT api.example:6443'])
  })

  it('expects the address in the certificate behind a proxy', async () => {
    const vars = (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` })
    expect(await asked('http', () => ({ server: 'https://10.9.9.9' }), vars)).to.deep.equal(['CONNECT 10.9.9.9:443'])
  })

  it('goes through the proxy of the cluster rather than that of the environment', async () =>
    expect(
      await asked(
        'http',
        (port) => ({ 'proxy-url': `http://127.0.0.1:${port}` }),
        () => ({ HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' }),
      ),
    ).to.deep.equal(['CONNECT api.example:6443']))

  it('leaves the environment out for a server that is known otherwise', async () => {
    const vars = { HTTPS_PROXY: 'ftp://proxy' }
    const credentials = new Credentials({ kubeconfig: { server: 'https://api.example' }, vars, timers: realTimers() })
    expect(await credentials.access()).to.have.property('origin', 'https://api.example')
    await credentials.close()
  })

  for (const [what, cluster, vars, message] of [
    ['cluster', { 'proxy-url': 'ftp://proxy' }, {}, 'config: clusters[a].cluster.proxy-url must be a URL with http'],
    ['environment', {}, { HTTPS_PROXY: 'ftp://proxy' }, 'HTTPS_PROXY or HTTP_PROXY must be a URL with http'],
  ] as const)
    it(`says which proxy of the ${what} is of no supported kind`, async () => {
      const kubeconfig = chooseKubeconfig({ kubeconfig: kubeconfigOf(cluster) }, vars)
      client = clientOf(kubeconfig, vars)
      const error = await client.request({ verb: 'create', path: PATH, body: {} }).catch((thrown: unknown) => thrown)
      expect(error).to.have.property('message').that.includes(message)
    })
})
