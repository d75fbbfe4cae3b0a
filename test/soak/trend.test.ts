import { expect } from 'chai'
import { levelVerdict, type Point, settled, trendOf, verdictOn } from './trend.ts'

const points = (values: readonly number[]): readonly Point[] => values.map((value, minute) => [minute, value])

describe('the trend of a soak', () => {
  it('is the slope of points on a line, without an error', () =>
    expect(trendOf(points([5, 7, 9, 11]))).to.deep.equal({ perMinute: 2, error: 0 }))

  it('has the standard error of the least squares', () => {
    const { perMinute, error } = trendOf(points([1, 3, 2, 4]))
    expect(perMinute).to.be.closeTo(0.8, 1e-9)
    expect(error).to.be.closeTo(Math.sqrt(1.8 / 2 / 5), 1e-9)
  })

  it('needs three points', () => expect(() => trendOf(points([1, 2]))).to.throw('2 points are too few'))

  it('begins after the first third', () =>
    expect(settled(points([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).map(([minute]) => minute)).to.deep.equal([
      3, 4, 5, 6, 7, 8, 9,
    ]))

  const verdicts = {
    flat: { perMinute: 0.05, error: 0.02 },
    grows: { perMinute: 0.3, error: 0.02 },
    open: { perMinute: 0.05, error: 0.2 },
  } as const
  for (const [verdict, trend] of Object.entries(verdicts))
    it(`is called ${verdict} with its error`, () => expect(verdictOn(trend, 1)).to.equal(verdict))

  it('of a number that goes up and down compares halves', () => {
    expect(levelVerdict(points([10, 40, 12, 11, 13, 10, 12, 35]))).to.equal('flat')
    expect(levelVerdict(points([10, 11, 12, 13, 20, 21, 22, 23]))).to.equal('grows')
    expect(levelVerdict(points([0, 0, 0, 3, 3, 3]))).to.equal('flat')
  })

  it('of a number that goes up and down is flat when only more is under way, and grows when something is left', () => {
    const quiet = [22, 23, 22, 24, 22, 23, 22, 24]
    expect(levelVerdict(points([...quiet, 23, 59, 31, 48, 24, 40, 22, 37]))).to.equal('flat')
    expect(levelVerdict(points([...quiet, 33, 59, 34, 48, 34, 40, 33, 37]))).to.equal('grows')
  })
})
