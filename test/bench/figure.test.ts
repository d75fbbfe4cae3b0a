import { expect } from 'chai'
import { type Goal, median, ratioFigure } from './figure.ts'

/** A figure of twice the reference. */
const figure = (goal: Goal) => ratioFigure({ name: 'speed', value: 20, unit: 's', against: 10, ...goal })

const cases: Record<string, readonly [Goal, string, boolean]> = {
  'holds where it is just at most so many times the other': [{ atMost: 2 }, '<= 2', true],
  'does not hold above that': [{ atMost: 1.9 }, '<= 1.9', false],
  'holds where it is just at least so many times the other': [{ atLeast: 2 }, '>= 2', true],
  'does not hold below that': [{ atLeast: 2.1 }, '>= 2.1', false],
}

describe('a figure', () => {
  for (const [sentence, [of, goal, holds]] of Object.entries(cases))
    it(sentence, () => expect(figure(of)).to.include({ ratio: 2, goal, holds }))
})

describe('the median', () => {
  it('is the middle value, or the upper of two middle values', () => {
    expect(median([3, 1, 2])).to.equal(2)
    expect(median([10, 9])).to.equal(10)
  })
})
