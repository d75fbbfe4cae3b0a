import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { expect } from 'chai'
import { LoginFailed } from '../../../../common/kube/client/errors.ts'
import { ExecCredential, type ExecOptions } from '../../../../common/kube/client/exec-credential.ts'
import { bareCluster, bareUser, type Cluster, type ExecConfig } from '../../../../common/kube/config/kubeconfig.ts'
import { eventually } from '../../../../sandbox/eventually.ts'
import { VirtualTime } from '../../../virtual-time.ts'

const V1 = 'client.authentication.k8s.io/v1'
const NOW = new Date('2026-11-28T12:00:00Z')

describe('ExecCredential', () => {
  const folder = mkdtempSync(join(tmpdir(), 'exec-'))
  after(() => rmSync(folder, { recursive: true }))
  const runs = join(folder, 'runs')
  let [time, now] = [new VirtualTime(), NOW]
  beforeEach(() => {
    ;[time, now] = [new VirtualTime(), NOW]
    rmSync(runs, { force: true })
  })
  const runsSoFar = () => (existsSync(runs) ? readFileSync(runs, 'utf8').length : 0)

  /** A plugin that runs this code, which may print with `print`. */
  function plugin(code: string, exec: Partial<ExecConfig> = {}, options: Partial<ExecOptions & Cluster> = {}) {
    const args = [
      '-e',
      `require('fs').appendFileSync(${JSON.stringify(runs)}, '.')
       const print = (status, more) =>
         console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${V1}', status, ...more }))
       const { argv, env } = process; const info = JSON.parse(env.KUBERNETES_EXEC_INFO); ${code}`,
    ]
    const whole: ExecConfig = {
      command: execPath,
      args,
      env: {},
      apiVersion: V1,
      interactiveMode: 'IfAvailable',
      provideClusterInfo: false,
      installHint: undefined,
      ...exec,
    }
    const cluster = bareCluster({ server: 'https://api', tlsServerName: 'name', caData: 'PEM', execConfig: { a: [1] } })
    const connection = {
      cluster: { ...cluster, ...options },
      user: { ...bareUser({ place: 'config: users[me].user' }), exec: whole },
      namespace: undefined,
    }
    const vars = { FROM_HERE: 'here', BOTH: 'here' }
    return new ExecCredential({ connection, vars, isTerminal: false, timers: time, clock: () => now, ...options })
  }

  const failure = async (answer: Promise<unknown>): Promise<string> => {
    const error = await answer.catch((thrown: unknown) => thrown)
    if (error instanceof LoginFailed) return error.message
    throw error
  }

  it('runs the program with its arguments and variables, and takes the token that it prints', async () => {
    const code = `print({ token: [argv.length, env.FROM_HERE, env.BOTH, env.OWN].join() })`
    const credential = plugin(code, { env: { BOTH: 'own', OWN: 'own' } })
    expect(await credential.answer()).to.deep.equal({ token: '1,here,own,own' })
  })

  it('takes a certificate with its key', async () => {
    const credential = plugin(`print({ clientCertificateData: 'cert', clientKeyData: 'key' })`)
    expect(await credential.answer()).to.deep.equal({ cert: 'cert', key: 'key' })
  })

  it('tells the program what it speaks, and nothing of the cluster', async () => {
    const { token } = await plugin('print({ token: JSON.stringify(info) })').answer()
    expect(JSON.parse(token ?? '')).to.deep.equal({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: { interactive: false },
    })
  })

  it('tells it of the cluster where the kubeconfig says so', async () => {
    const exec = { provideClusterInfo: true }
    const { token } = await plugin('print({ token: JSON.stringify(info.spec.cluster) })', exec).answer()
    expect(JSON.parse(token ?? '')).to.deep.equal({
      server: 'https://api',
      'tls-server-name': 'name',
      'certificate-authority-data': Buffer.from('PEM').toString('base64'),
      config: { a: [1] },
    })
  })

  const modes: readonly (readonly [mode: string | undefined, isTerminal: boolean, interactive: boolean])[] = [
    ['Never', true, false],
    ['IfAvailable', false, false],
    ['IfAvailable', true, true],
    [undefined, true, true],
    ['Always', true, true],
  ]
  for (const [interactiveMode, isTerminal, interactive] of modes)
    it(`${interactive ? 'lets' : 'does not let'} a program with ${interactiveMode} ask ${isTerminal ? 'on' : 'without'} a terminal`, async () => {
      const { token } = await plugin(
        'print({ token: String(info.spec.interactive) })',
        { interactiveMode },
        { isTerminal },
      ).answer()
      expect(token).to.equal(`${interactive}`)
    })

  it('runs no program that must ask where nobody can answer', async () => {
    expect(await failure(plugin('print({ token: "a" })', { interactiveMode: 'Always' }).answer())).to.match(
      /asks for input, and standard input is no terminal: run this on a terminal$/,
    )
    expect(runsSoFar()).to.equal(0)
  })

  it('runs once for all who wait, and keeps the answer', async () => {
    const credential = plugin('print({ token: "a" })')
    expect(credential.isDue).to.equal(true)
    expect(await Promise.all([credential.answer(), credential.answer()])).to.deep.equal([
      { token: 'a' },
      { token: 'a' },
    ])
    await credential.answer()
    expect([runsSoFar(), credential.isDue]).to.deep.equal([1, false])
  })

  it('runs again when the answer has expired, and not before', async () => {
    const credential = plugin('print({ token: "a", expirationTimestamp: "2026-11-28T13:00:00Z" })')
    await credential.answer()
    now = new Date('2026-11-28T13:00:00Z')
    await credential.answer()
    expect([runsSoFar(), credential.isDue]).to.deep.equal([1, false])
    now = new Date('2026-11-28T13:00:01Z')
    await credential.answer()
    expect(runsSoFar()).to.equal(2)
  })

  it('uses an answer that has expired already for a moment, so that it is not asked for without end', async () => {
    const credential = plugin('print({ token: "a", expirationTimestamp: "2026-11-28T11:00:00Z" })')
    await credential.answer()
    await credential.answer()
    expect(runsSoFar()).to.equal(1)
  })

  it('runs again when the answer is refused, but not once more when that answer is refused, too', async () => {
    const credential = plugin('print({ token: "a" })')
    await credential.answer()
    credential.refused()
    await credential.answer()
    credential.refused()
    await credential.answer()
    expect(runsSoFar()).to.equal(2)
    await time.pass(60_000)
    credential.refused()
    await credential.answer()
    expect(runsSoFar()).to.equal(3)
  })

  it('runs again after a failure', async () => {
    const credential =
      plugin(`if (!env.BOTH || require('fs').readFileSync(${JSON.stringify(runs)}).length < 2) process.exit(3)
      print({ token: 'a' })`)
    expect(await failure(credential.answer())).to.match(/ended with code 3: what it printed says why$/)
    expect(await credential.answer()).to.deep.equal({ token: 'a' })
  })

  it('ends the program when its caller is closed, or a signal aborts', async () => {
    const caller = new AbortController()
    for (const [end, options] of [
      [(credential: ExecCredential) => credential.close(), {}],
      [() => caller.abort(), { signal: caller.signal }],
    ] as const) {
      rmSync(runs, { force: true })
      const credential = plugin('setTimeout(() => undefined, 60_000)', {}, options)
      const answer = failure(credential.answer())
      await eventually('the program to run', 20_000, () => expect(runsSoFar()).to.be.above(0))
      end(credential)
      expect(await answer).to.match(/was ended before it answered: run this again$/)
    }
  })

  it('says how to install a program that does not exist', async () => {
    const command = 'no-such-login'
    expect(await failure(plugin('', { command }).answer())).to.equal(
      'the credential plugin "no-such-login" was not found: install it, or correct config: users[me].user.exec.command',
    )
    const installHint = ' Run this:\n\u001b[31m  brew install login\n'
    expect(await failure(plugin('', { command, installHint }).answer())).to.equal(
      'the credential plugin "no-such-login" was not found: Run this: \\u001b[31m brew install login',
    )
  })

  it('says that a file is no program', async () => {
    const command = join(folder, 'text')
    writeFileSync(command, 'text')
    expect(await failure(plugin('', { command }).answer())).to.match(/cannot be run \(spawn .* EACCES\): see config: /)
  })

  const refused: Record<string, readonly [code: string, finding: RegExp]> = {
    'no JSON': ['console.log("hello")', /did not print an ExecCredential/],
    'another kind': [`print({ token: 'a' }, { kind: 'Pod' })`, /did not print an ExecCredential/],
    'another version': [
      `print({ token: 'a' }, { apiVersion: 'client.authentication.k8s.io/v1beta1' })`,
      /printed the apiVersion "client.authentication.k8s.io\/v1beta1" instead of "client.authentication.k8s.io\/v1"/,
    ],
    'no status': ['print(undefined)', /printed neither a token nor a certificate/],
    'a token that is no text': ['print({ token: 1 })', /printed a status.token that is no text/],
    'a certificate without a key': [`print({ clientCertificateData: 'a' })`, /printed only one of certificate and key/],
    'an end that is no time': [
      `print({ token: 'a', expirationTimestamp: 'soon' })`,
      /printed a status.expirationTimestamp that is no time/,
    ],
    'too much': [`process.stdout.write('a'.repeat(2e6)); setTimeout(() => {}, 60_000)`, /printed more than 1 MiB/],
  }
  for (const [what, [code, finding]] of Object.entries(refused))
    it(`refuses ${what}`, async () => expect(await failure(plugin(code).answer())).to.match(finding))
})
