import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { describeExit, type Supervisor, startSupervisor } from '../../sandbox/processes.ts'
import { isGone } from './gone.ts'

const PATIENT = 'setInterval(() => {}, 1000)'

const node = (name: string, script: string) => ({ name, command: process.execPath, args: ['-e', script], env: {} })

describe('the supervisor', () => {
  let supervisor: Supervisor
  beforeEach(async () => {
    supervisor = await startSupervisor()
  })
  afterEach(() => supervisor.stop())

  it('stops its processes, and removes its directory', async () => {
    const { pid, exited } = await supervisor.start(node('patient', PATIENT))
    expect(isGone(pid)).to.equal(false)
    await supervisor.stop()
    expect(isGone(pid)).to.equal(true)
    expect((await exited).isAsked).to.equal(true)
    expect(existsSync(supervisor.stateDirectory)).to.equal(false)
  })

  it('ends one process with the given signal', async () => {
    const patient = await supervisor.start(node('patient', PATIENT))
    expect(await patient.stop('SIGKILL')).to.include({ signal: 'SIGKILL', code: null, isAsked: true })
    expect(await patient.stop()).to.include({ signal: 'SIGKILL' }) // a second call does no harm
  })

  it('reports a process that ends by itself, with the last lines of its log', async () => {
    const { exited } = await supervisor.start(node('doomed', 'console.log("about to fail"); process.exitCode = 3'))
    const exit = await exited
    expect(exit).to.deep.equal({ code: 3, signal: null, isAsked: false, lastLines: 'about to fail' })
    expect(describeExit('doomed', exit)).to.equal('doomed ended by itself (code 3); its last lines:\nabout to fail')
  })

  it('tells which programs of Node ended by themselves or failed at their end, but no end that was expected', async () => {
    const failing = 'process.on("SIGTERM", () => process.exit(1)); console.log("ready"); setInterval(() => {}, 1000)'
    const start = async (name: string, script: string) => supervisor.start(node(name, script))
    const [doomed, expected, killed] = [
      await start('doomed', 'process.exitCode = 3'),
      await start('expected', 'process.exitCode = 3'),
      await start('killed', PATIENT),
    ]
    const other = await supervisor.start({ name: 'other', command: 'false', args: [], env: { PATH: process.env.PATH } })
    const fails = await start('fails', failing)
    await eventually('it to be ready', 20_000, () =>
      expect(readFileSync(join(supervisor.stateDirectory, 'logs/fails.log'), 'utf8')).to.equal('ready\n'),
    )
    await Promise.all([doomed, expected, other].map(({ exited }) => exited))
    await Promise.all([killed.end('SIGKILL'), fails.stop()])
    const [byItself, asked] = [
      'doomed ended by itself (code 3); its last lines:\n',
      'fails ended when asked (code 1); its last lines:\nready',
    ]
    expect((await expected.expectExit()).code, 'also afterwards').to.equal(3)
    expect(supervisor.unexpectedExits()).to.deep.equal([byItself, asked])
    expect(await fails.end().catch(String)).to.equal(`Error: ${asked}`)
    expect(supervisor.unexpectedExits(), 'each is told once').to.deep.equal([byItself])
  })

  it('says which command could not be started', async () => {
    const nowhere = { name: 'nowhere', command: '/nowhere/at-all', args: [], env: {} }
    expect(await supervisor.start(nowhere).catch(String)).to.equal(
      'Error: nowhere could not be started: spawn /nowhere/at-all ENOENT',
    )
  })

  it('has its parent kill its processes when it is killed', async () => {
    const { pid, exited } = await supervisor.start(node('patient', PATIENT))
    process.kill(supervisor.pid, 'SIGKILL')
    expect((await exited).isAsked).to.equal(false)
    await eventually('the orphan and its directory to be gone', 20_000, () => {
      expect(isGone(pid)).to.equal(true)
      expect(existsSync(supervisor.stateDirectory)).to.equal(false)
    })
    const late = await supervisor.start(node('late', PATIENT)).catch(String)
    expect(late).to.equal('Error: late cannot be started: the supervisor has ended')
  })
})
