import { expect } from 'chai'
import { CatchUp } from '../../../../common/kube/watch/catch-up.ts'
import { turn, VirtualTime } from '../../../virtual-time.ts'

const RELIST_AFTER_MS = 60_000

function world() {
  const time = new VirtualTime()
  const relists: number[] = []
  const catchUp = new CatchUp({ timers: time, relist: () => relists.push(time.now()), isOver: () => false })
  /** Waits for `isMet`; `isOver` tells whether the wait has ended. */
  const wait = (isMet: () => boolean = () => false, signal?: AbortSignal) => {
    const state = { isOver: false }
    void catchUp.until(isMet, signal).then(() => {
      state.isOver = true
    })
    return state
  }
  return { time, relists, catchUp, wait }
}

describe('CatchUp', () => {
  it('does not wait for what is so already', async () => {
    const { catchUp } = world()
    await catchUp.until(() => true)
    expect(catchUp.size).to.equal(0)
  })

  it('ends a wait at the first check that finds its condition met', async () => {
    const { catchUp, wait, time } = world()
    let isMet = false
    const [one, other] = [wait(() => isMet), wait()]
    catchUp.check()
    await turn()
    expect([one.isOver, catchUp.size]).to.deep.equal([false, 2])
    isMet = true
    catchUp.check()
    await turn()
    expect([one.isOver, other.isOver, catchUp.size, time.pending]).to.deep.equal([true, false, 1, 1])
  })

  it('ends all waits on release, and sets no timer afterwards', async () => {
    const { catchUp, wait, time } = world()
    const waits = [wait(), wait()]
    catchUp.release()
    await turn()
    expect(waits.map(({ isOver }) => isOver)).to.deep.equal([true, true])
    expect([catchUp.size, time.pending]).to.deep.equal([0, 0])
  })

  it('ends a wait whose signal aborts, and starts none whose signal has aborted', async () => {
    const { catchUp, wait, time } = world()
    const caller = new AbortController()
    const one = wait(() => false, caller.signal)
    caller.abort()
    await turn()
    expect([one.isOver, catchUp.size, time.pending]).to.deep.equal([true, 0, 0])
    await catchUp.until(() => false, caller.signal)
  })

  it('asks for one list after 60 s, however many wait, and again after 60 s more', async () => {
    const { time, relists, wait } = world()
    wait()
    await time.pass(1_000)
    wait()
    await time.pass(RELIST_AFTER_MS - 1_000)
    expect(relists).to.deep.equal([RELIST_AFTER_MS])
    await time.pass(RELIST_AFTER_MS)
    expect(relists).to.deep.equal([RELIST_AFTER_MS, 2 * RELIST_AFTER_MS])
  })

  it('counts the 60 s from the beginning of the oldest wait that is left', async () => {
    const { time, relists, catchUp, wait } = world()
    let isMet = false
    wait(() => isMet)
    await time.pass(20_000)
    wait()
    isMet = true
    catchUp.check()
    await time.pass(RELIST_AFTER_MS - 1)
    expect(relists).to.deep.equal([])
    await time.pass(1)
    expect(relists).to.deep.equal([20_000 + RELIST_AFTER_MS])
  })
})
