import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { run } from '../../sandbox/run.ts'
import { whyNoSimulation } from '../../sandbox/simulation.ts'
import { Page, STRATEGY_PAGES, type Step } from '../integration/document.ts'
import { needs } from '../needs.ts'
import { isGone } from '../sandbox/gone.ts'

/** Within this time, in milliseconds, everything is gone after the parent was killed. */
const GONE_WITHIN_MS = 5_000
const MAIN = new URL('../../sandbox/main.ts', import.meta.url).pathname

interface Traces {
  readonly pids: readonly number[]
  readonly ports: readonly number[]
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T
}

/** All processes that the sandbox under `temporary` has started so far. @throws Error before it has started etcd */
function tracesIn(temporary: string): Traces {
  const [name] = readdirSync(temporary).filter((file) => file.startsWith('experiment-sandbox-'))
  const state = join(temporary, name ?? 'none')
  const noted = readJson<{ supervisor: number; processes: { pid: number }[] }>(join(state, 'processes.json'))
  const ports = Object.values(readJson<Record<string, number>>(join(state, 'ports.json')))
  return { pids: [noted.supervisor, ...noted.processes.map(({ pid }) => pid)], ports }
}

async function nothingRemains(temporary: string, { pids, ports }: Traces): Promise<void> {
  await eventually('all of the sandbox to be gone', GONE_WITHIN_MS, async () => {
    expect(readdirSync(temporary), 'left in the temporary directory').to.deep.equal([])
    expect(
      pids.filter((pid) => !isGone(pid)),
      'processes left',
    ).to.deep.equal([])
    for (const port of ports) expect(await isOpen(port), `port ${port} is open`).to.equal(false)
  })
}

/** A control plane and the product start in a quarter of it, if nothing else runs. */
const STARTED_MS = 120_000
/** Each wait in the guides has a deadline of its own. */
const GUIDES_MS = 1_200_000

describe('`npm run sandbox`, on the real control plane', () => {
  needs('controlPlane')
  let temporary = ''
  let home = ''
  let main: ChildProcess | undefined

  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'sandbox-ends-'))
    home = mkdtempSync(join(tmpdir(), 'sandbox-home-'))
  })
  afterEach(() => {
    main?.kill('SIGKILL')
    for (const folder of [temporary, home]) rmSync(folder, { recursive: true, force: true })
  })

  function startMain(...args: readonly string[]): ChildProcess & { readonly seen: () => string } {
    const env = { ...process.env, TMPDIR: temporary, NODE_V8_COVERAGE: undefined }
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    main = child
    return Object.assign(child, { seen: () => output })
  }

  async function runningMain(...args: readonly string[]) {
    const child = startMain(...args)
    // both lines: they are two writes, and may arrive one after the other
    const exports = await eventually('`npm run sandbox` to print what to export', STARTED_MS, () => {
      const [found] = /^export KUBECONFIG=\S+admin\.yaml\nexport PATH=.*\n/m.exec(child.seen()) ?? []
      return found ?? expect.fail(child.seen())
    })
    return { child, traces: tracesIn(temporary), exports }
  }

  /** Runs shell commands in another terminal, in which the two lines of the sandbox were pasted. */
  const inShell = (exports: string, commands: string) =>
    run('sh', ['-ec', exports + commands], { cwd: home, env: { PATH: '/usr/bin:/bin', HOME: home } })

  it('U4: has the product with --product, as the README shows it, and leaves nothing after Ctrl-C', async () => {
    const readme = readFileSync('README.md', 'utf8')
    const [, commands = ''] =
      /^npm run sandbox -- --product .*\n((?:kubectl .*\n)+)npm run sandbox requests cart /m.exec(readme) ?? []
    const [, example = ''] = /^```yaml\n(.*?)^```/ms.exec(readme) ?? []
    writeFileSync(join(home, 'faster-cart.yaml'), example)
    const { child, traces, exports } = await runningMain('--product')
    expect(traces.pids).to.have.length(8)

    const shown = await inShell(exports, commands)
    expect(shown.code, shown.stderr).to.equal(0)
    expect(shown.stderr).to.contain('Warning: [Plan] creates deployment/cart-experiment-')
    expect(shown.stdout).to.match(/^NAME .*\nfaster-cart /m)
    const waited = await inShell(
      exports,
      `kubectl wait expd/faster-cart --for=condition=Ready --timeout=60s
       kubectl get expd/faster-cart -o 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}'`,
    )
    expect(waited.stdout, waited.stderr).to.match(/condition met\nAvailable$/)
    // before, the status of the new experiment may be empty
    expect((await inShell(exports, 'kubectl get expd')).stdout).to.match(/^faster-cart +Deployment\/cart /m)

    const exited = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exited).to.deep.equal([0, null])
    await nothingRemains(temporary, traces)
  })

  it('N28: runs every command of the guides, typed by hand', async function () {
    const impossible = await whyNoSimulation({ prometheus: true })
    if (impossible !== undefined) {
      console.error(`no sandbox with requests here: ${impossible}`)
      return this.skip()
    }
    this.timeout(GUIDES_MS)
    const { child, traces, exports } = await runningMain('--product', '--traffic', '--prometheus')
    expect(traces.pids).to.have.length(10)
    for (const name of ['guide.md', ...STRATEGY_PAGES, 'analysis.md']) {
      const page = new Page(name)
      await page.writeFiles(home)
      for (const step of page.steps()) {
        await typed(exports, page, step)
        await checked(exports, step.command)
      }
      expect((await inShell(exports, 'kubectl delete expd,deployments,services --all\n')).code).to.equal(0)
    }
    const exited = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exited).to.deep.equal([0, null])
    await nothingRemains(temporary, traces)
  })

  /** Types a command of a page, and compares the output. What shows a state is typed until it is that of the page. */
  async function typed(exports: string, page: Page, step: Step): Promise<void> {
    const { command, isRefused } = step
    const type = async () => {
      const { code, stdout, stderr } = await inShell(exports, `${command}\n`)
      page.expectOutput(step, `${stderr}${stdout}`)
      expect(code !== 0, stderr).to.equal(isRefused)
    }
    await (/^kubectl get|--dry-run/.test(command) ? eventually(`the output of ${command}`, 30_000, type) : type())
  }

  /** What a user sees who gives orders to the sandbox at some of the commands. */
  async function checked(exports: string, command: string): Promise<void> {
    const ordered = async (...words: readonly string[]) => {
      const [, KUBECONFIG] = /KUBECONFIG=(\S+)/.exec(exports) ?? []
      const { code, stdout, stderr } = await run(process.execPath, [MAIN, ...words], {
        env: { ...process.env, KUBECONFIG },
      })
      expect(code, stderr).to.equal(0)
      return stdout
    }
    const answered = (service: string, said: RegExp) =>
      eventually(`answers of ${service}`, 30_000, async () => expect(await ordered('requests', service)).to.match(said))
    const [, workload, of = ''] = /^kubectl rollout status deployment\/(\w+)(?: --namespace=(\w+))?/.exec(command) ?? []
    if (workload === 'cart') await answered(`${of || 'shop'}/cart`, /^ +100 {2}registry.example\/cart:1, (3|10) pods$/m)
    if (workload === 'web') await answered('web', /^ +100 {2}registry.example\/web:1, 2 pods$/m)
    if (command === 'kubectl apply -f cart-preview.yaml')
      await answered('cart-preview', /^ +100 {2}registry.example\/cart:1, 10 pods$/m)
    if (command.includes("'2/10 Paused'"))
      await answered('cart-preview', /^ +100 {2}registry.example\/cart:2 of the experiment green-cart, 1 pod$/m)
    if (command.endsWith('slow-cart.yaml'))
      for (const program of ['controller', 'webhook'])
        expect(await ordered('restart', program)).to.contain(`the ${program} runs again`)
  }

  it('leaves nothing when its parent process is killed', async () => {
    const { child, traces } = await runningMain()
    expect(traces.pids).to.have.length(6)
    child.kill('SIGKILL')
    await nothingRemains(temporary, traces)
  })

  it('leaves nothing when its parent process is killed during the start', async () => {
    const child = startMain()
    const traces = await eventually('its first process', 60_000, () => tracesIn(temporary))
    child.kill('SIGKILL')
    await nothingRemains(temporary, traces)
  })

  it('leaves nothing after Ctrl-C during the start, and says why it ended', async () => {
    const child = startMain()
    const traces = await eventually('its first process', 60_000, () => tracesIn(temporary))
    const exited = once(child, 'exit')
    child.kill('SIGINT')
    expect(await exited).to.deep.equal([130, null])
    expect(child.seen()).to.contain('stopped by SIGINT')
    await nothingRemains(temporary, traces)
  })
})
