import { existsSync } from 'node:fs'
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
