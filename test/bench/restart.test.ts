import { expect } from 'chai'
import { type Judged, restartFigures } from './restart.ts'

const usage = (peakMiB: number) => ({ cpuMs: 0, residentMiB: 100, peakMiB })
const RESTARTED: Judged = {
  count: 5_000,
  writes: [],
  none: usage(110),
  first: usage(200),
  filled: usage(220),
  end: usage(210),
}

/** The names of the lines that do not hold. */
const broken = (of: Partial<Judged> = {}) =>
  restartFigures({ ...RESTARTED, ...of }, { all: 5_000, firstCount: 1_000 })
    .filter(({ holds }) => !holds)
    .map(({ name }) => name)

describe('the figures of a restart', () => {
  it('hold with all forks, no write and little memory', () => expect(broken()).to.deep.equal([]))

  it('do not hold where fewer forks were created than the goal is about', () =>
    expect(broken({ count: 4_000 })).to.deep.equal(['forks before the restart']))

  it('do not hold after one write', () =>
    expect(broken({ writes: ['patch deployments shop/cart'] })).to.deep.equal(['restart, 5000 forks']))

  for (const [member, name] of [
    ['first', 'memory, 1000 created at once'],
    ['filled', 'memory, 5000 created'],
    ['end', 'memory, restart with 5000'],
  ])
    it(`do not hold where the peak is above 256 million bytes: ${name}`, () => {
      expect(broken({ [member as 'end']: usage(245) })).to.deep.equal([name])
      expect(broken({ [member as 'end']: usage(244) })).to.deep.equal([])
    })
})
