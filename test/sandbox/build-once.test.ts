import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { buildMissing } from '../../sandbox/binaries.ts'
import { eventually } from '../../sandbox/eventually.ts'

const SLOW_BUILD = fileURLToPath(new URL('slow-build.ts', import.meta.url))
const WAITS = 'another process builds etcd: waiting for it\n'

describe('two processes that need the same program', () => {
  let folder = ''
  const children: ChildProcess[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'build-once-'))
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  function aProcess() {
    const child = spawn(process.execPath, [SLOW_BUILD, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    children.push(child)
    return { child, closed: once(child, 'close'), said: () => said }
  }
  const says = ({ said }: ReturnType<typeof aProcess>, line: string) =>
    eventually(`it to say ${line}`, 20_000, () => expect(said()).to.contain(line))
  const builders = () => readFileSync(join(folder, 'builders'), 'utf8').trim().split('\n').map(Number)
  const builtBy = () => readFileSync(join(folder, 'bin/etcd'), 'utf8')

  /** One process that builds, and another one that waits for it. */
  async function oneAndAnother() {
    const one = aProcess()
    await eventually('the build', 20_000, () => expect(builders()).to.deep.equal([one.child.pid]))
    const other = aProcess()
    await says(other, WAITS)
    return { one, other }
  }
  const mayEnd = () => writeFileSync(join(folder, 'may-end'), '')

  it('U5: build it once: the other process waits and says so', async () => {
    const { one, other } = await oneAndAnother()
    mayEnd()
    expect([await one.closed, await other.closed]).to.deep.equal([
      [0, null],
      [0, null],
    ])
    expect(builders()).to.deep.equal([one.child.pid])
    expect(builtBy()).to.equal(`built by ${one.child.pid}`)
    expect(one.said()).to.match(/^building etcd, 0 more after it\nbuilt etcd in \d+ s\n$/)
    expect(other.said()).to.equal(WAITS)
  })

  it('U5: the process that waits builds it if the other one is killed', async () => {
    const { one, other } = await oneAndAnother()
    one.child.kill('SIGKILL')
    await says(other, 'building etcd, 0 more after it\n')
    mayEnd()
    expect(await other.closed).to.deep.equal([0, null])
    expect(builders()).to.deep.equal([one.child.pid, other.child.pid])
    expect(builtBy()).to.equal(`built by ${other.child.pid}`)
  })

  it('U5: Ctrl-C ends the wait', async () => {
    await oneAndAnother()
    const goodbye = new AbortController()
    const say = () => goodbye.abort(new Error('stopped by SIGINT'))
    const build = () => expect.fail('it builds')
    const waiting = buildMissing(join(folder, 'bin'), ['etcd'], { build, say, signal: goodbye.signal })
    expect(await waiting.catch(String)).to.equal('Error: stopped by SIGINT')
  })
})
