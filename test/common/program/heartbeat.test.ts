import { expect } from 'chai'
import { Heartbeat } from '../../../common/program/heartbeat.ts'
import { VirtualTime } from '../../virtual-time.ts'

describe('Heartbeat', () => {
  it('beats every second, until it is stopped', async () => {
    const time = new VirtualTime()
    const heartbeat = new Heartbeat(time)
    await time.pass(10_500)
    expect(heartbeat.idleMs).to.equal(500)
    heartbeat.stop()
    expect(time.pending).to.equal(0)
  })

  it('grows while the event loop is blocked', () => {
    const clock = { nowMs: 0 }
    const heartbeat = new Heartbeat({ now: () => clock.nowMs, after: () => () => undefined })
    clock.nowMs = 12_000
    expect(heartbeat.idleMs).to.equal(12_000)
  })
})
