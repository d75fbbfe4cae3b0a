import { expect } from 'chai'
import { byPod, countedIn, countersIn, growthOf, resetPods } from '../../../../common/analysis/query/delta.ts'
import { counter, native } from './some-series.ts'

describe('what series count in a window', () => {
  it('is known of those with both edges', () => {
    const both = counter('n', 'a', [1, 4])
    const series = [both, counter('n', 'b', [undefined, 4]), counter('n', 'c', [1, undefined]), native('d', [[], []])]
    expect(countersIn(series)).to.deep.equal({ is: 'counters', counters: [{ pod: 'a', start: 1, end: 4, of: both }] })
  })

  it('is unknown if there is a value that is no count, also beyond the window', () => {
    const message = 'the answer has a count that is not a whole number'
    for (const ends of [
      ['NaN', '1'],
      ['1', '+Inf'],
      [undefined, '-1'],
      ['0.5', undefined],
    ] as const)
      expect(countersIn([counter('n', 'a', [1, 4]), counter('n', 'b', ends)])).to.deep.equal({ is: 'failed', message })
  })

  it('is read by whoever knows how', () => {
    const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : undefined)
    const one = counter('n', 'a', ['x', 'xyz'])
    expect(countedIn([one], ({ values }) => values, lengthOf)).to.deep.equal([{ pod: 'a', start: 1, end: 3, of: one }])
    expect(countedIn([native('a', [[], undefined])], ({ histograms }) => histograms, lengthOf)).to.equal(undefined)
  })
})

describe('the growth of a counter', () => {
  const counters = [
    { pod: 'a', start: 7, end: 3 },
    { pod: 'a', start: 1, end: 5 },
    { pod: 'b', start: 2, end: 2 },
  ]

  it('is the difference of its values, or what it counted since its pod was reset', () => {
    const reset = resetPods(counters)
    expect([...reset]).to.deep.equal(['a'])
    expect(counters.map((each) => growthOf(each, reset))).to.deep.equal([3, 5, 0])
  })

  it('is looked at pod by pod', () =>
    expect([...byPod(counters)]).to.deep.equal([
      ['a', counters.slice(0, 2)],
      ['b', counters.slice(2)],
    ]))
})
