import { expect } from 'chai'
import fc from 'fast-check'
import { MAX_PAUSE_SECONDS, PAUSE_PATTERN } from '../../../common/api/strategy.ts'
import { pauseSeconds } from '../../../common/strategy/pause.ts'
import { duration } from '../../../common/text/duration.ts'
import { LAW } from '../../property.ts'

describe('the seconds of a pause', () => {
  const cases: readonly (readonly [duration: number | string, seconds: number | undefined])[] = [
    [3_600, 3_600],
    [0, 0],
    ['90', 90],
    ['0', 0],
    ['45s', 45],
    ['1h30m', 5_400],
    ['2h', 7_200],
    ['1d', 86_400],
    ['1d2h3m4s', 93_784],
    ['30m1h', 5_400],
    ['365d', MAX_PAUSE_SECONDS],
    ['365d1s', undefined],
    [MAX_PAUSE_SECONDS, MAX_PAUSE_SECONDS],
    [MAX_PAUSE_SECONDS + 1, undefined],
    [String(MAX_PAUSE_SECONDS + 1), undefined],
    [-1, undefined],
    [0.5, undefined],
    [Number.NaN, undefined],
    ['', undefined],
    ['1.5h', undefined],
    ['-1h', undefined],
    ['1w', undefined],
    ['1h 30m', undefined],
    ['1h30', undefined],
    ['1s1s1s1s1s', undefined],
    ['soon', undefined],
  ]
  for (const [duration, seconds] of cases)
    it(`are ${seconds} for ${JSON.stringify(duration)}`, () => expect(pauseSeconds(duration)).to.equal(seconds))

  it('are a whole number up to a year for every text of the pattern, or none', () => {
    fc.assert(
      fc.property(fc.stringMatching(new RegExp(PAUSE_PATTERN)), (text) => {
        const seconds = pauseSeconds(text)
        if (seconds !== undefined) expect(seconds).to.satisfy(Number.isSafeInteger).and.be.within(0, MAX_PAUSE_SECONDS)
      }),
      LAW,
    )
  })

  it('are those that their own text says', () => {
    const hour = 3_600
    for (const seconds of [0, 1, 59, 60, 90, hour, hour + 60, 25 * hour, 48 * hour])
      expect(pauseSeconds(duration(seconds))).to.equal(seconds)
  })
})
