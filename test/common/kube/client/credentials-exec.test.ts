import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { expect } from 'chai'
import { type CertificatePair, newAuthority, newLeaf } from '../../../../certs/authority.ts'
import { clientWith, type KubeClient } from '../../../../common/kube/client/client.ts'
import { Credentials } from '../../../../common/kube/client/credentials.ts'
import { chooseKubeconfig } from '../../../../common/kube/client/kubeconfig-choice.ts'
import { realTimers, type Timers } from '../../../../common/program/clock.ts'
import { type Served, serve } from '../../../fakes/wire.ts'
import { VirtualTime } from '../../../virtual-time.ts'

const AUTHORITY = { clock: () => new Date(), days: 1 }
const PATH = '/api/v1/namespaces/shop/pods/cart'

describe('Credentials: credential plugins', () => {
  const folder = mkdtempSync(join(tmpdir(), 'credentials-exec-'))
  const [kubeconfig, runs, login] = [join(folder, 'config'), join(folder, 'runs'), join(folder, 'login')]
  let [client, server] = [undefined as KubeClient | undefined, undefined as Served | undefined]
  const runsSoFar = () => (existsSync(runs) ? readFileSync(runs, 'utf8').length : 0)
  let leaf: CertificatePair | undefined
  before(async () => {
    leaf = await newLeaf(await newAuthority(AUTHORITY), { ...AUTHORITY, names: ['127.0.0.1'] })
    // prints `token-1`, then `token-2`
    writeFileSync(
      login,
      `#!${execPath}
      const fs = require('fs'); fs.appendFileSync(${JSON.stringify(runs)}, '.')
      const token = 'token-' + fs.readFileSync(${JSON.stringify(runs)}).length
      console.log(JSON.stringify({
        kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1beta1', status: { token },
      }))`,
    )
    chmodSync(login, 0o700)
  })
  beforeEach(() => rmSync(runs, { force: true }))
  afterEach(async () => {
    await client?.close()
    await server?.close()
    ;[client, server] = [undefined, undefined]
  })
  after(() => rmSync(folder, { recursive: true }))

  function write(user: object, cluster: object): void {
    const config = {
      'current-context': 'a',
      clusters: [{ name: 'a', cluster }],
      users: [{ name: 'a', user }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    }
    writeFileSync(kubeconfig, JSON.stringify(config))
  }
  const exec = { command: './login', apiVersion: 'client.authentication.k8s.io/v1beta1' }

  const credentialsWith = (timers: Timers) =>
    new Credentials({ kubeconfig: chooseKubeconfig({ kubeconfig }, {}), timers })
  const clientOf = (timers: Timers): KubeClient =>
    clientWith(credentialsWith(timers), { userAgent: 'test', timers, random: () => 0 })

  /** A client of a server that accepts these tokens. */
  async function serving(...accepted: readonly string[]): Promise<KubeClient> {
    const served = await serve((request, response) => {
      const isAccepted = accepted.includes(`${request.headers.authorization}`)
      const body = isAccepted ? { kind: 'Pod', metadata: {} } : { kind: 'Status', reason: 'Unauthorized' }
      response.writeHead(isAccepted ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }, leaf)
    server = served
    write({ exec }, { server: `https://127.0.0.1:${served.port}`, 'insecure-skip-tls-verify': true })
    const made = clientOf(realTimers())
    client = made
    return made
  }
  const tokens = () => server?.seen.map(({ headers }) => headers.authorization)

  it('are run once for requests at the same time, and by a path from the folder of the kubeconfig', async () => {
    const kube = await serving('Bearer token-1')
    await Promise.all([1, 2, 3].map(() => kube.request({ verb: 'get', path: PATH })))
    expect([runsSoFar(), tokens()]).to.deep.equal([1, Array.from({ length: 3 }, () => 'Bearer token-1')])
  })

  it('are run again after 401', async () => {
    const kube = await serving('Bearer token-2')
    await kube.request({ verb: 'get', path: PATH })
    expect([runsSoFar(), tokens()]).to.deep.equal([2, ['Bearer token-1', 'Bearer token-2']])
  })

  it('are run only once more, however often a request is tried again', async () => {
    const kube = await serving('none')
    const error = await kube.request({ verb: 'get', path: PATH }).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('status', 401)
    expect(runsSoFar()).to.equal(2)
  })

  it('are run once if they fail, although a read is tried again after other failures', async () => {
    const kube = await serving('none')
    write(
      {
        exec: {
          ...exec,
          command: execPath,
          args: ['-e', `fs.appendFileSync(${JSON.stringify(runs)}, '.'); process.exit(1)`],
        },
      },
      { server: 'https://127.0.0.1:9' },
    )
    const failing = clientOf(realTimers())
    const error = await failing.request({ verb: 'get', path: PATH }).catch((thrown: unknown) => thrown)
    expect(error)
      .to.have.property('message')
      .that.matches(/^the credential plugin ".*" ended with code 1: /)
    expect(runsSoFar()).to.equal(1)
    await Promise.all([failing.close(), kube.close()])
  })

  it('may take longer than a request, because people log in', async () => {
    const time = new VirtualTime()
    const kube = await serving('Bearer token-1')
    const patient = clientOf(time)
    const answer = patient.request({ verb: 'get', path: PATH, deadlineMs: 1_000 })
    await time.pass(60_000)
    expect(await answer).to.have.property('kind', 'Pod')
    await Promise.all([patient.close(), kube.close()])
  })

  const needless: Record<string, object> = {
    'a token': { token: 'mine' },
    'a user name': { username: 'me' },
  }
  for (const [what, known] of Object.entries(needless))
    it(`are not run for a user with ${what}`, async () => {
      write({ exec, ...known }, { server: 'https://127.0.0.1:9' })
      const credentials = credentialsWith(new VirtualTime())
      expect(credentials.login()).to.equal(undefined)
      await credentials.access()
      expect(runsSoFar()).to.equal(0)
      await credentials.close()
    })

  it('are kept while the kubeconfig says the same, and not when it names another', async () => {
    write({ exec }, { server: 'https://127.0.0.1:9' })
    const time = new VirtualTime()
    const credentials = credentialsWith(time)
    const access = credentials.access()
    expect((await access).headers.Authorization).to.equal('Bearer token-1')
    appendFileSync(kubeconfig, ' ')
    credentials.drop(access)
    const kept = credentials.access()
    expect((await kept).headers.Authorization).to.equal('Bearer token-1')
    write({ exec: { ...exec, args: ['--other'] } }, { server: 'https://127.0.0.1:9' })
    credentials.drop(kept)
    expect((await credentials.access()).headers.Authorization).to.equal('Bearer token-2')
    await credentials.close()
  })
})
