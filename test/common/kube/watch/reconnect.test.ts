import { expect } from 'chai'
import { HEALTHY_AFTER_MS, Reconnect } from '../../../../common/kube/watch/reconnect.ts'

const delays = (reconnect: Reconnect, count: number) => Array.from({ length: count }, () => reconnect.delayMs())

describe('Reconnect', () => {
  it('doubles the wait up to 20 s', () =>
    expect(delays(new Reconnect(() => 1), 7)).to.deep.equal([800, 1_600, 3_200, 6_400, 12_800, 20_000, 20_000]))

  it('waits at least half of that, depending on chance', () => {
    expect(delays(new Reconnect(() => 0), 2)).to.deep.equal([400, 800])
    expect(delays(new Reconnect(() => 0.5), 2)).to.deep.equal([600, 1_200])
  })

  it('starts with the first wait after a connection that lived for two minutes', () => {
    const reconnect = new Reconnect(() => 1)
    delays(reconnect, 5)
    reconnect.connectionEnded(HEALTHY_AFTER_MS)
    expect(reconnect.delayMs()).to.equal(800)
  })

  it('does not wait after a watch that was open for 5 s', () => {
    const reconnect = new Reconnect(() => 1)
    expect(reconnect.delayAfterWatchMs(5_000)).to.equal(0)
    expect(reconnect.delayAfterWatchMs(4_999)).to.equal(800)
  })

  it('does not start with the first wait after a shorter one', () => {
    const reconnect = new Reconnect(() => 1)
    delays(reconnect, 1)
    reconnect.connectionEnded(HEALTHY_AFTER_MS - 1)
    expect(reconnect.delayMs()).to.equal(1_600)
  })

  it('starts with the first wait when the kind is served again', () => {
    const reconnect = new Reconnect(() => 1)
    delays(reconnect, 5)
    reconnect.kindFound()
    expect(reconnect.delayMs()).to.equal(800)
  })
})
