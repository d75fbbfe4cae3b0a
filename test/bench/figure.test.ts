import { expect } from 'chai'
import { type Goal, limitFigure, median, p99, plainFigure, ratioFigure } from './figure.ts'

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

describe('a figure with a limit of its value', () => {
  const measured = { name: 'delay', value: 250, unit: 'ms', against: 10 }
  it('holds up to the limit, whatever the reference is', () => {
    expect(limitFigure({ ...measured, atMost: 250 })).to.include({ ratio: 25, goal: 'value <= 250', holds: true })
    expect(limitFigure({ ...measured, atMost: 249 })).to.include({ holds: false })
  })
})

describe('a figure without a limit', () => {
  it('holds, whatever its ratio is', () =>
    expect(plainFigure({ name: 'delay', value: 250, unit: 'ms', against: 10 })).to.include({
      ratio: 25,
      goal: 'none',
      holds: true,
    }))
})

describe('the 99th percentile', () => {
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => count - index)
  it('is the value that one in a hundred exceeds', () => {
    expect(p99(upTo(100))).to.equal(99)
    expect(p99(upTo(200))).to.equal(198)
    expect(p99([7])).to.equal(7)
    expect(p99([])).to.equal(0)
  })
})

describe('the median', () => {
  it('is the middle value, or the upper of two middle values', () => {
    expect(median([3, 1, 2])).to.equal(2)
    expect(median([10, 9])).to.equal(10)
  })
})
