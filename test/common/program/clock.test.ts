import { expect } from 'chai'
import { pause, realTimers } from '../../../common/program/clock.ts'
import { VirtualTime } from '../../virtual-time.ts'

/** Resolves after `delayMs` of real time. */
const elapsed = (delayMs: number) => new Promise<void>((resolve) => setTimeout(resolve, delayMs))

describe('realTimers', () => {
  it('run a function once after the delay', async () => {
    const timers = realTimers()
    const startedAt = timers.now()
    let runs = 0
    await new Promise<void>((resolve) => {
      timers.after(20, () => {
        runs += 1
        resolve()
      })
    })
    expect(timers.now() - startedAt).to.be.at.least(15)
    await elapsed(30)
    expect(runs).to.equal(1)
  })

  it('do not run a function that was cancelled', async () => {
    let runs = 0
    const cancel = realTimers().after(5, () => {
      runs += 1
    })
    cancel()
    cancel()
    await elapsed(20)
    expect(runs).to.equal(0)
  })

  it('N49: run a function at once whose time is over, without a warning of Node', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error) => warnings.push(name)
    process.on('warning', note)
    await new Promise<void>((resolve) => realTimers().after(-5, resolve))
    await elapsed(0) // a warning is told in a later turn
    process.off('warning', note)
    expect(warnings).to.deep.equal([])
  })

  it('do not run a function early because its delay is longer than setTimeout allows', async () => {
    let runs = 0
    const cancel = realTimers().after(2 ** 40, () => {
      runs += 1
    })
    await elapsed(20)
    cancel()
    expect(runs).to.equal(0)
  })
})

describe('pause', () => {
  it('resolves after the delay', async () => {
    const time = new VirtualTime()
    let isOver = false
    const over = pause(time, 1_000, new AbortController().signal).then(() => {
      isOver = true
    })
    await time.pass(999)
    expect(isOver).to.equal(false)
    await time.pass(1)
    await over
    expect(time.pending).to.equal(0)
  })

  it('resolves at once when the signal aborts, and leaves no timer', async () => {
    const time = new VirtualTime()
    const caller = new AbortController()
    const over = pause(time, 1_000, caller.signal)
    caller.abort(new Error('enough'))
    await over
    expect(time.pending).to.equal(0)
  })

  it('does not wait if the signal has aborted before', async () => {
    const time = new VirtualTime()
    await pause(time, 1_000, AbortSignal.abort())
    expect(time.pending).to.equal(0)
  })
})
