import { expect } from 'chai'
import { type Judged, restartFigures } from './restart.ts'

const usage = (peakMiB: number) => ({ cpuMs: 0, residentMiB: 100, peakMiB })
/** After each thousand, with so much memory. */
const crowds = (...residentMiB: readonly number[]) =>
  residentMiB.map((each, index) => ({ count: 1_000 * (index + 1), usage: { ...usage(200), residentMiB: each } }))
const RESTARTED: Judged = {
  count: 5_000,
  writes: [],
  drainedAfterSeconds: 6,
  listSeconds: 2,
  none: usage(110),
  crowds: crowds(150, 160, 170, 180, 190),
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
    ['filled', 'memory, 5000 created'],
    ['end', 'memory, restart with 5000'],
  ])
    it(`do not hold where the peak is above 256 million bytes: ${name}`, () => {
      expect(broken({ [member as 'end']: usage(245) })).to.deep.equal([name])
      expect(broken({ [member as 'end']: usage(244) })).to.deep.equal([])
    })

  it('do not hold where the first crowd has its peak above that', () => {
    const [, ...later] = RESTARTED.crowds
    const withPeak = (peakMiB: number) => [{ count: 1_000, usage: { ...usage(peakMiB), residentMiB: 150 } }, ...later]
    expect(broken({ crowds: withPeak(245) })).to.deep.equal(['memory, 1000 created at once'])
    expect(broken({ crowds: withPeak(244) })).to.deep.equal([])
  })

  it('do not hold where a fork among many needs a tenth more memory than one among few', () => {
    const name = 'memory of 1000 more, after 3000'
    expect(broken({ crowds: crowds(150, 160, 170, 181, 191.9) })).to.deep.equal([])
    expect(broken({ crowds: crowds(150, 160, 170, 181, 192.1) })).to.deep.equal([name])
    expect(broken({ crowds: crowds(150, 149, 148, 149, 150) })).to.deep.equal([name])
    expect(broken({ crowds: crowds(150, 149, 148, 148, 148) })).to.deep.equal([])
  })

  it('do not hold where there was only one crowd, which says nothing about others', () =>
    expect(broken({ crowds: crowds(150) })).to.deep.equal(['memory of 1000 more, after 1000']))

  it('tell the time until nothing is left to do beside that of the bare lists', () => {
    const figures = restartFigures(RESTARTED, { all: 5_000, firstCount: 1_000 })
    expect(figures.find(({ unit }) => unit === 's')).to.include({ value: 6, against: 2, ratio: 3, goal: 'none' })
  })
})
