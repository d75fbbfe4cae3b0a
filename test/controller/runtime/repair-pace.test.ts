import { expect } from 'chai'
import { RepairPace } from '../../../controller/runtime/repair-pace.ts'

function paced() {
  let now = 0
  const pace = new RepairPace({ now: () => now })
  return { pace, pass: (ms: number) => (now += ms) }
}

describe('the pace of repairs', () => {
  it('makes the first one wait for nothing', () => expect(paced().pace.waitMs('a/b')).to.equal(0))

  it('doubles the wait as long as somebody fights back, up to a minute', () => {
    const { pace, pass } = paced()
    const waits = Array.from({ length: 11 }, () => {
      pace.note('a/b')
      const wait = pace.waitMs('a/b')
      pass(wait)
      return wait
    })
    expect(waits).to.deep.equal([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  it('begins anew after a minute of peace', () => {
    const { pace, pass } = paced()
    pace.note('a/b')
    pass(250)
    pace.note('a/b')
    pass(60_500)
    pace.note('a/b')
    expect(pace.waitMs('a/b')).to.equal(250)
  })

  it('lets one key’s fight be its own', () => {
    const { pace } = paced()
    pace.note('a/b')
    expect(pace.waitMs('a/c')).to.equal(0)
  })
})
