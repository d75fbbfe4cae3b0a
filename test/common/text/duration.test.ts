import { expect } from 'chai'
import { duration } from '../../../common/text/duration.ts'

describe('duration', () => {
  const cases: Readonly<Record<string, number>> = {
    '0s': 0,
    '45s': 45,
    '1m30s': 90,
    '2h': 7_200,
    '1h30m': 5_430,
    '2d': 172_800,
    '1d1h': 90_060,
  }
  for (const [text, seconds] of Object.entries(cases))
    it(`writes ${seconds} s as ${text}`, () => expect(duration(seconds)).to.equal(text))
})
