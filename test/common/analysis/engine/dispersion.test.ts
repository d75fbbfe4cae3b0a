import { expect } from 'chai'
import {
  dispersionOf,
  dividedBy,
  jointDispersion,
  NO_CELLS,
  withCells,
} from '../../../../common/analysis/engine/dispersion.ts'
import { seeded } from '../../../seeded.ts'

const cellsOf = (events: readonly number[]) =>
  withCells(
    NO_CELLS,
    events.map((each) => ({ events: each, exposure: 100 })),
  )

describe('the index of dispersion', () => {
  it('is about how many events come together', () => {
    const random = seeded(3)
    const arrivals = Array.from({ length: 2_000 }, () => Number(random() < 0.2))
    expect(dispersionOf(cellsOf(arrivals))).to.be.within(1, 1.1)
    expect(dispersionOf(cellsOf(arrivals.map((each) => 10 * each)))).to.be.within(7.5, 8.5)
  })

  it('is 1 without events, with too few cells, and where events are more regular than by chance', () => {
    expect([[], [7], [0, 0, 0], [5, 5, 5]].map((events) => dispersionOf(cellsOf(events)))).to.deep.equal([1, 1, 1, 1])
  })

  it('N44: is as large for strata as if their events always came at once', () => {
    const [single, bursts] = [cellsOf([5, 5, 5, 5]), cellsOf([0, 20, 0, 0])]
    const alone = dispersionOf(bursts)
    expect(jointDispersion([])).to.equal(1)
    expect(jointDispersion([bursts])).to.be.closeTo(alone, 1e-9)
    expect(jointDispersion([single, single])).to.be.closeTo(2, 1e-9)
    expect(jointDispersion([bursts, single])).to.be.within(alone / 2, 2 * alone)
  })

  it('does not count cells without exposure', () =>
    expect(withCells(NO_CELLS, [{ events: 0, exposure: 0 }])).to.deep.equal(NO_CELLS))

  it('divides what speaks for a bet, and not what speaks against it', () =>
    expect([dividedBy(6, 3), dividedBy(-6, 3)]).to.deep.equal([2, -6]))
})
