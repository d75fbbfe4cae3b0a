import { expect } from 'chai'
import { FailureLog } from '../../../../common/kube/watch/failure-log.ts'
import { kubeError } from '../../../fakes/wire-by-hand.ts'
import { diaryLog, VirtualTime } from '../../../virtual-time.ts'

function world() {
  const log = diaryLog()
  const timers = new VirtualTime()
  const failed: string[] = []
  const failureLog = new FailureLog({ log, timers, onFailure: (kind) => void failed.push(kind) })
  const times = () => log.lines.map(({ facts }) => facts.times)
  return { log, timers, failed, failureLog, times }
}

describe('FailureLog', () => {
  it('log the 1st, 2nd, 4th and 8th failure of one kind', () => {
    const { log, failureLog, times } = world()
    for (let i = 0; i < 10; i++) failureLog.failed('unreachable', kubeError('unreachable'))
    expect(times()).to.deep.equal([1, 2, 4, 8])
    expect(log.lines[0]).to.deep.include({ text: 'warn list or watch failed' })
    expect(log.lines[0]?.facts).to.deep.include({ kind: 'unreachable' })
  })

  for (const kind of ['forbidden', 'kindAbsent'] as const)
    it(`log once that the kind is ${kind}: that lasts until a person acts`, () => {
      const { failureLog, times } = world()
      for (let i = 0; i < 10; i++) failureLog.failed(kind, kubeError(kind))
      expect(times()).to.deep.equal([1])
    })

  it('tell the kind of every failure, also of those that are not logged', () => {
    const { failureLog, failed, times } = world()
    for (let i = 0; i < 3; i++) failureLog.failed('server', kubeError('server'))
    expect(failed).to.deep.equal(['server', 'server', 'server'])
    expect(times()).to.deep.equal([1, 2])
  })

  it('tell once that a kind is absent: looking for it again is no failure', () => {
    const { failureLog, failed } = world()
    for (let i = 0; i < 30; i++) failureLog.failed('kindAbsent', kubeError('kindAbsent'))
    failureLog.failed('server', kubeError('server'))
    failureLog.failed('kindAbsent', kubeError('kindAbsent'))
    expect(failed).to.deep.equal(['kindAbsent', 'server', 'kindAbsent'])
  })

  it('know the time since the last success', async () => {
    const { failureLog, timers } = world()
    expect(failureLog.silentMs).to.equal(undefined)
    failureLog.recovered()
    await timers.pass(3_000)
    failureLog.failed('server', kubeError('server'))
    expect(failureLog.silentMs).to.equal(3_000)
  })

  it('count from one again for another kind of failure', () => {
    const { failureLog, times } = world()
    for (const kind of ['server', 'unreachable', 'server'] as const) failureLog.failed(kind, kubeError(kind))
    expect(times()).to.deep.equal([1, 1, 1])
  })

  it('doubt the version of a watch after five failures in a row, of whatever kind', () => {
    const { failureLog } = world()
    const kinds = ['server', 'unreachable', 'server', 'throttled', 'server'] as const
    const fail = () => kinds.map((kind) => failureLog.failed(kind, kubeError(kind)))
    expect(fail()).to.deep.equal([false, false, false, false, true])
    failureLog.recovered()
    expect(fail()).to.deep.equal([false, false, false, false, true])
  })

  it('count from one again after a success', () => {
    const { failureLog, times } = world()
    failureLog.failed('forbidden', kubeError('forbidden'))
    failureLog.recovered()
    failureLog.failed('forbidden', kubeError('forbidden'))
    expect(times()).to.deep.equal([1, 1])
  })
})
