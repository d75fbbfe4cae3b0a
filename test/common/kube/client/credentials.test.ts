import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Credentials } from '../../../../common/kube/client/credentials.ts'
import { chooseKubeconfig } from '../../../../common/kube/client/kubeconfig-choice.ts'
import { KubeconfigError } from '../../../../common/kube/config/found.ts'
import { VirtualTime } from '../../../virtual-time.ts'

const REREAD_AFTER_MS = 10_000

const kubeconfigOf = (token: string, cluster: object = {}) =>
  JSON.stringify({
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
    clusters: [{ name: 'here', cluster: { server: 'https://10.0.0.1:6443/root/', ...cluster } }],
    users: [{ name: 'me', user: { token } }],
  })

describe('Credentials', () => {
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'))
  const kubeconfig = join(folder, 'config')
  let [time, credentials] = [new VirtualTime(), undefined as Credentials | undefined]
  after(() => rmSync(folder, { recursive: true }))
  afterEach(() => credentials?.close())

  const write = (text: string) => writeFileSync(kubeconfig, text)
  const read = () => {
    time = new VirtualTime()
    credentials = new Credentials({ kubeconfig: chooseKubeconfig({ kubeconfig }, {}), timers: time })
    return credentials
  }
  const tokenOf = async (from: Credentials) => (await from.access()).headers.Authorization

  it('give origin, prefix without a slash at its end, and token', async () => {
    write(kubeconfigOf('first'))
    const { origin, prefix, headers } = await read().access()
    expect({ origin, prefix }).to.deep.equal({ origin: 'https://10.0.0.1:6443', prefix: '/root' })
    expect(headers.Authorization).to.equal('Bearer first')
  })

  it('remove the line feed at the end of a token', async () => {
    write(kubeconfigOf('first\n'))
    expect(await tokenOf(read())).to.equal('Bearer first')
  })

  it('are read once for 10 s, over the same connections afterwards', async () => {
    write(kubeconfigOf('first'))
    const from = read()
    const access = from.access()
    await time.pass(REREAD_AFTER_MS - 1)
    expect(from.access()).to.equal(access)
    await time.pass(1)
    expect(from.access()).not.to.equal(access)
    expect((await from.access()).dispatcher).to.equal((await access).dispatcher)
  })

  it('read the kubeconfig again on reload, and once for all who were refused', async () => {
    write(kubeconfigOf('first'))
    const from = read()
    const refused = from.access()
    await refused
    write(kubeconfigOf('second'))
    from.reload(refused)
    const access = from.access()
    expect((await access).headers.Authorization).to.equal('Bearer second')
    from.reload(refused)
    expect(from.access()).to.equal(access)
  })

  it('are composed again after a drop, from the kubeconfig as it is then, and once for all who failed', async () => {
    write(kubeconfigOf('first'))
    const from = read()
    const failed = from.access()
    const { dispatcher } = await failed
    write(kubeconfigOf('second', { 'certificate-authority-data': Buffer.from('another CA').toString('base64') }))
    from.drop(failed)
    const access = from.access()
    expect((await access).headers.Authorization).to.equal('Bearer second')
    expect((await access).dispatcher, 'the connections with the former CA').not.to.equal(dispatcher)
    from.drop(failed)
    expect(from.access()).to.equal(access)
  })

  for (const [what, text] of Object.entries({
    'half written': kubeconfigOf('second').slice(0, 40),
    'still empty': '',
    'without a server': kubeconfigOf('second', { server: '' }),
  }))
    it(`are composed again after a drop from the kubeconfig that is known, while the file is ${what}`, async () => {
      write(kubeconfigOf('first'))
      const from = read()
      const failed = from.access()
      await failed
      write(text)
      from.drop(failed)
      const access = from.access()
      expect(access).not.to.equal(failed)
      expect((await access).headers.Authorization).to.equal('Bearer first')
    })

  for (const [what, text] of Object.entries({
    'a file that is no kubeconfig': '[',
    'a kubeconfig without a server': kubeconfigOf('first', { server: '' }),
    'a server that is no URL': kubeconfigOf('first', { server: 'https://undefined:undefined' }),
  }))
    it(`refuse ${what} at once`, () => {
      write(text)
      expect(read).to.throw(KubeconfigError)
    })

  it('are not sent over plain HTTP, as by kubectl, whatever the kubeconfig says', async () => {
    for (const isInsecure of [false, true]) {
      write(kubeconfigOf('first', { server: 'http://10.0.0.1', 'insecure-skip-tls-verify': isInsecure }))
      expect(await tokenOf(read())).to.equal(undefined)
    }
  })

  it('come from a server that is known otherwise', async () => {
    credentials = new Credentials({
      kubeconfig: { server: 'https://10.0.0.1', ca: 'PEM', token: 'mine' },
      timers: time,
    })
    const { origin, headers } = await credentials.access()
    expect([origin, headers.Authorization]).to.deep.equal(['https://10.0.0.1', 'Bearer mine'])
  })

  it('come from what flags chose', async () => {
    write(kubeconfigOf('first'))
    const flags = { kubeconfig, server: 'https://other', token: 'other', as: 'cart', asGroups: ['a', 'b'] }
    credentials = new Credentials({ kubeconfig: chooseKubeconfig(flags, {}), timers: time })
    const { origin, headers } = await credentials.access()
    expect(origin).to.equal('https://other')
    expect(headers).to.deep.equal({
      Authorization: 'Bearer other',
      'Impersonate-User': 'cart',
      'Impersonate-Group': ['a', 'b'],
    })
  })

  it('refuse a login that is built into other clients', () => {
    write(kubeconfigOf('', {}).replace('{"token":""}', '{"auth-provider":{"name":"oidc"}}'))
    expect(read).to.throw('users[me].user.auth-provider "oidc" is not supported: use a credential plugin (exec)')
  })
})
