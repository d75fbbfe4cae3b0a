import { expect } from 'chai'
import { ClockSteps } from '../../../controller/wakeups/clock-steps.ts'
import { VirtualTime } from '../../virtual-time.ts'

const HOUR_MS = 3_600_000

/** Clocks that agree until a test sets `aheadMs`, and when steps were noticed. */
function world() {
  const time = new VirtualTime()
  const state = { aheadMs: 0 }
  const noticed: number[] = []
  const steps = new ClockSteps({
    clock: () => new Date(1_000_000_000 + time.now() + state.aheadMs),
    timers: time,
    onForwardStep: () => noticed.push(time.now()),
  })
  steps.start()
  return { time, state, noticed, steps }
}

describe('the steps of the wall clock', () => {
  it('F31: are noticed within a minute, and once, if they lead forward', async () => {
    const { time, state, noticed } = world()
    await time.pass(150_000)
    state.aheadMs = HOUR_MS
    await time.pass(HOUR_MS)
    expect(noticed).to.deep.equal([180_000])
  })

  it('F31: are not noticed if they lead backward, and are if they lead forward again from there', async () => {
    const { time, state, noticed } = world()
    state.aheadMs = -HOUR_MS
    await time.pass(60_000)
    state.aheadMs = 0
    await time.pass(HOUR_MS)
    expect(noticed).to.deep.equal([120_000])
  })

  it('are noticed when many small ones make more than a second together', async () => {
    const { time, state, noticed } = world()
    for (let minutes = 0; minutes < 5; minutes += 1) {
      state.aheadMs += 250
      await time.pass(60_000)
    }
    expect(noticed).to.deep.equal([300_000])
  })

  it('are not noticed after the stop, which leaves no timer', async () => {
    const { time, state, noticed, steps } = world()
    steps.stop()
    state.aheadMs = HOUR_MS
    await time.pass(HOUR_MS)
    expect([noticed, time.pending]).to.deep.equal([[], 0])
  })
})
