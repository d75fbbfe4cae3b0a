import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { run } from '../../sandbox/run.ts'
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
    const [, commands = ''] = /^npm run sandbox -- --product .*\n((?:kubectl .*\n)+)/m.exec(readme) ?? []
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
