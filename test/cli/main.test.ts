import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { parse } from 'yaml'
import { npmPackage } from '../../build/npm.ts'
import { aDeployment } from '../builders.ts'
import { FASTER_CART, PluginStore } from './a-plugin.ts'
import { servedCluster } from './served.ts'
import { DETAILS, PAUSED } from './some-details.ts'

/** What a process has printed, and how it ended. */
async function ended(child: ChildProcess) {
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk
  })
  const [code] = await once(child, 'close')
  return { code, out, err }
}

describe('the plugin as it is installed', () => {
  let folder = ''
  let served: Awaited<ReturnType<typeof servedCluster>> | undefined
  let cluster = new PluginStore({})
  const start = (words: readonly string[], program = 'kubectl-experiment') =>
    spawn(process.execPath, [join(folder, 'bin', `${program}.cjs`), ...words], {
      env: { KUBECONFIG: served?.kubeconfig ?? '', LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const run = (...words: readonly string[]) => ended(start(words))

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plugin-'))
    await npmPackage(folder)
  })
  beforeEach(async () => {
    cluster = new PluginStore({ ...DETAILS })
    served = await servedCluster(cluster)
  })
  afterEach(() => served?.close())
  after(() => rmSync(folder, { recursive: true }))

  it('is a package with two programs', () => {
    const { name, bin, engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect({ name, bin, engines }).to.deep.equal({
      name: 'kubectl-experiment',
      bin: {
        'kubectl-experiment': 'bin/kubectl-experiment.cjs',
        'kubectl_complete-experiment': 'bin/kubectl_complete-experiment.cjs',
      },
      engines: { node: '>=24' },
    })
  })

  it('explains itself without the code of the client', async () => {
    const { code, out } = await run('--help')
    expect(code).to.equal(0)
    expect(out).to.match(/^Usage: kubectl experiment COMMAND/)
    const eager = (file: string): string => {
      const text = readFileSync(join(folder, 'lib', file), 'utf8')
      const imported = [...text.matchAll(/(?:from|import)\s?"\.\/([\w.-]+)"/g)].map(([, name = '']) => eager(name))
      return text + imported.join('')
    }
    expect(eager('main.mjs'))
      .to.contain('Watch and steer')
      .and.not.contain('impersonat')
      .and.not.contain('keepAliveTimeout')
  })

  it('shows an experiment, in at most ten requests', async () => {
    const { code, out, err } = await run('get', 'faster-cart')
    expect([code, err]).to.deep.equal([0, ''])
    expect(out).to.contain('Status:    ‖ Paused').and.contain('20 looks, 1000 requests')
    expect(served?.seen).to.have.length.within(6, 10)
  })

  it('prints an experiment as a document', async () => {
    const { code, out, err } = await run('get', 'faster-cart', '-o', 'yaml')
    expect([code, err]).to.deep.equal([0, ''])
    expect(parse(out)).to.deep.include({ kind: 'ExperimentView', state: 'Paused' })
  })

  it('gives a command after its plan, and prints every cause of a refusal', async () => {
    cluster.warnings = ['[Plan] step 3 of 7: 50 % "of" the pods']
    const { code, out } = await run('resume', 'faster-cart')
    expect([code, out]).to.deep.equal([
      0,
      '[Plan] step 3 of 7: 50 % "of" the pods\nfaster-cart: the command resume was given\n',
    ])
  })

  it('creates an experiment', async () => {
    cluster.put('/apis/apps/v1/namespaces/shop/deployments/till', aDeployment({ name: 'till' }))
    expect((await run('create', 'till', '--image', 'example/till:2')).out).to.contain('/till-2 created')
    expect(cluster.at(FASTER_CART.replace('faster-cart', 'till-2'))).to.not.equal(undefined)
  })

  it('waits for a goal, and ends within a second after it', async () => {
    const child = start(['status', 'faster-cart', '--for=ended'])
    const running = ended(child)
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (cluster.openWatches === 0) return
        clearInterval(look)
        resolve()
      }, 5)
    })
    cluster.remove(FASTER_CART)
    expect((await running).code).to.equal(0)
  })

  it('ends with 130 at Ctrl-C, without an error', async () => {
    const child = start(['get', '-w'])
    child.stdout?.once('data', () => child.kill('SIGINT'))
    const { code, err } = await ended(child)
    expect([code, err]).to.deep.equal([130, ''])
  })

  it('ends with 0 when nobody reads on', async () => {
    for (let index = 0; index < 2_000; index++)
      cluster.put(FASTER_CART.replace('faster-cart', `cart-${index}`), {
        ...PAUSED,
        metadata: { ...PAUSED.metadata, name: `cart-${index}`, uid: `${index}` },
      })
    const child = start(['get'])
    child.stdout?.once('data', () => child.stdout?.destroy())
    let err = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      err += chunk
    })
    const [code] = await once(child, 'exit')
    expect([code, err]).to.deep.equal([0, ''])
  })

  it('gives a command although nobody reads what it prints', async () => {
    cluster.warnings = ['[Plan] the run is aborted']
    const child = start(['abort', 'faster-cart'])
    child.stdout?.destroy()
    const { code } = await ended(child)
    expect([code, cluster.writes.map(([line]) => line.split(' ')[0])]).to.deep.equal([0, ['dry', 'patch']])
  })

  it('says that there is no connection in two lines', async () => {
    await served?.close()
    const { code, err } = await run('get', '--request-timeout=1s', '--server=http://127.0.0.1:9')
    expect(code).to.equal(1)
    expect(err).to.match(/^error: [^\n]+\n[^\n]+\n$/)
    served = undefined
  })

  it('completes words as cobra does, and prints no error', async () => {
    const complete = async (...words: readonly string[]) =>
      (await ended(start(words, 'kubectl_complete-experiment'))).out
    expect(await complete('pro')).to.equal('promote\tgive the change to the source\n:4\n')
    expect(await complete('status', 'x', '--for', 'pas')).to.equal('passed\n:4\n')
    expect(await complete('get', '--kubeconfig=/nowhere', '')).to.equal(':4\n')
  })

  it('says on an old Node what it needs, in one line', () => {
    const [said, process]: [string[], { versions: object; exitCode?: number }] = [[], { versions: { node: '12.22.0' } }]
    const script = readFileSync(join(folder, 'bin', 'kubectl-experiment.cjs'), 'utf8').replace(/^#!.*/, '')
    runInNewContext(script, { process, console: { error: (line: string) => said.push(line) } })
    expect([said, process.exitCode]).to.deep.equal([
      ['kubectl-experiment needs Node 24 or newer, and this is Node 12.22.0.'],
      1,
    ])
  })
})
