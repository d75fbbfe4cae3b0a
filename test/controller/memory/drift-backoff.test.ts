import { expect } from 'chai'
import { DriftBackoff } from '../../../controller/memory/drift-backoff.ts'

function world() {
  let now = 0
  const backoff = new DriftBackoff({ now: () => now })
  return { backoff, pass: (ms: number) => (now += ms) }
}

describe('the backoff of repairs', () => {
  it('lets the first repair happen at once', () => expect(world().backoff.waitMs('a/b')).to.equal(0))

  it('doubles the wait, up to a minute, while another client keeps changing the fork', () => {
    const { backoff, pass } = world()
    const waits = Array.from({ length: 11 }, () => {
      backoff.noteRepair('a/b')
      const wait = backoff.waitMs('a/b')
      pass(wait)
      return wait
    })
    expect(waits).to.deep.equal([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  it('starts again at 250 ms after a minute without repairs', () => {
    const { backoff, pass } = world()
    backoff.noteRepair('a/b')
    pass(250)
    backoff.noteRepair('a/b')
    pass(60_500)
    backoff.noteRepair('a/b')
    expect(backoff.waitMs('a/b')).to.equal(250)
  })

  it('R17: calls a fork contested after three repairs in a row, until it is left alone for a minute', () => {
    const { backoff, pass } = world()
    const contested = [250, 500, 1_000].map((ms) => {
      backoff.noteRepair('a/b')
      const found = backoff.contestedMs('a/b')
      pass(ms)
      return found
    })
    expect(contested).to.deep.equal([0, 0, 61_000])
    expect(backoff.contestedMs('a/b')).to.equal(60_000)
    expect(backoff.contestedMs('a/c')).to.equal(0)
    pass(60_000)
    expect(backoff.contestedMs('a/b')).to.equal(0)
    backoff.noteRepair('a/b')
    expect(backoff.contestedMs('a/b')).to.equal(0)
  })

  it('N2: calls no fork contested where nothing was taken back, but waits as well', () => {
    const { backoff, pass } = world()
    const seen = [250, 500, 1_000, 2_000].map((ms) => {
      backoff.noteRepair('a/b', false)
      const found = [backoff.waitMs('a/b'), backoff.contestedMs('a/b')]
      pass(ms)
      return found
    })
    expect(seen).to.deep.equal([250, 500, 1_000, 2_000].map((ms) => [ms, 0]))
  })

  it('keeps the keys apart', () => {
    const { backoff } = world()
    backoff.noteRepair('a/b')
    expect(backoff.waitMs('a/c')).to.equal(0)
  })
})
