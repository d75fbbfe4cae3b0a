import { expect } from 'chai'
import {
  byPod,
  countedIn,
  countersIn,
  growthOf,
  inStrata,
  partlyResetPods,
  seriesStarts,
  stratumOf,
} from '../../../../common/analysis/query/delta.ts'
import type { PrometheusSeries } from '../../../../common/analysis/query/series.ts'
import { counter, native } from './some-series.ts'

const NOT_BORN = () => false

describe('what series count in a window', () => {
  it('is known of those with both edges', () => {
    const both = counter('n', 'a', [1, 4])
    const series = [both, counter('n', 'b', [undefined, 4]), counter('n', 'c', [1, undefined]), native('d', [[], []])]
    const counters = [{ pod: 'a', start: 1, end: 4, of: both }]
    expect(countersIn(series, NOT_BORN)).to.deep.equal({ is: 'counters', counters })
  })

  it('is known of those that are born in it: they began with nothing', () => {
    const born = counter('n', 'b', [undefined, 4])
    const gone = counter('n', 'b', [undefined, undefined])
    const counters = [{ pod: 'b', start: 0, end: 4, of: born }]
    expect(countersIn([born, gone], () => true)).to.deep.equal({ is: 'counters', counters })
  })

  it('is unknown if there is a value that is no count, also beyond the window', () => {
    const message = 'the answer has a count that is not a whole number'
    for (const ends of [
      ['NaN', '1'],
      ['1', '+Inf'],
      [undefined, '-1'],
      ['0.5', undefined],
    ] as const)
      expect(countersIn([counter('n', 'a', [1, 4]), counter('n', 'b', ends)], NOT_BORN)).to.deep.equal({
        is: 'failed',
        message,
      })
  })

  it('is read by whoever knows how', () => {
    const read = (value: unknown) => (typeof value === 'string' ? value.length : undefined)
    const one = counter('n', 'a', ['x', 'xyz'])
    expect(countedIn([one], { edgesOf: ({ values }) => values, read, nothing: 0 }, NOT_BORN)).to.deep.equal([
      { pod: 'a', start: 1, end: 3, of: one },
    ])
    const unread = native('a', [[], undefined])
    const reading = { edgesOf: ({ histograms }: PrometheusSeries) => histograms, read, nothing: 0 }
    expect(countedIn([unread], reading, NOT_BORN)).to.equal(undefined)
  })
})

describe('a series is born in a window', () => {
  it('if its process had another one at the start', () => {
    const isBorn = seriesStarts([counter('n', 'a', [1, 4]), native('b', [[], []]), counter('n', 'c', [undefined, 4])])
    expect(['a', 'b', 'c', 'd'].map((pod) => isBorn(counter('n', pod, [undefined, 4])))).to.deep.equal([
      ...[true, true],
      ...[false, false],
    ])
  })

  it('in the process that its labels name', () => {
    const labels = { job: 'cart', instance: '10.0.0.1:80', container: 'app' }
    const isBorn = seriesStarts([counter('n', 'a', [1, 4], { ...labels, code: '200' })])
    const born = (of: Readonly<Record<string, string>>) => isBorn(counter('n', 'a', [undefined, 4], of))
    expect(born({ ...labels, code: '500' })).to.equal(true)
    for (const other of [{ job: 'proxy' }, { instance: '10.0.0.1:81' }, { container: 'proxy' }])
      expect(born({ ...labels, ...other })).to.equal(false)
  })

  it('but not if its process got other labels: then it counted about as much as the others had at the start', () => {
    const old = [counter('n', 'a', [1_000, 1_010]), counter('n', 'a', [200, undefined], { code: '500' })]
    const isBorn = (...counts: readonly number[]) => {
      const others = counts.map((count, route) => counter('n', 'a', [undefined, count], { route: `${route}` }))
      const births = others.map(seriesStarts([...old, ...others, counter('n', 'b', [1, 2])]))
      expect(new Set(births).size).to.equal(1)
      return births[0]
    }
    expect([isBorn(1_020, 201), isBorn(605), isBorn(2_400)]).to.deep.equal([false, false, false])
    expect([isBorn(604), isBorn(2_401), isBorn(20)]).to.deep.equal([true, true, true])
    const nothingBefore = counter('n', 'a', [undefined, 9], { code: '500' })
    expect(seriesStarts([counter('n', 'a', [0, 5]), nothingBefore])(nothingBefore)).to.equal(true)
  })

  it('if series of another kind could have been it, but their own kind has no successors', () => {
    const good = counter('n', 'a', [10, 12], { code: '200' })
    const error = counter('n', 'a', [undefined, 11], { code: '500' })
    expect(seriesStarts([good, error])(error)).to.equal(false)
    expect(seriesStarts([good, error], [[error], [good]])(error)).to.equal(true)
  })
})

describe('the growth of a counter', () => {
  const counters = [
    { pod: 'a', start: 7, end: 3 },
    { pod: 'a', start: 1, end: 5 },
    { pod: 'b', start: 2, end: 2 },
  ]

  it('is the difference of its values', () =>
    expect(growthOf(counters.slice(1))).to.deep.equal([
      [counters[1], 4],
      [counters[2], 0],
    ]))

  it('is what it counted since it began anew, which any counter shows that begins anew with it', () => {
    expect(growthOf(counters.slice(0, 2))).to.deep.equal([
      [counters[0], 3],
      [counters[1], 5],
    ])
  })

  it('is looked at pod by pod', () =>
    expect([...byPod(counters)]).to.deep.equal([
      ['a', counters.slice(0, 2)],
      ['b', counters.slice(2)],
    ]))
})

describe('a pod was reset in part', () => {
  const one = (start: number, end: number) => [{ pod: 'a', start, end }]

  it('if a part of it began anew and another went on', () => {
    expect([...partlyResetPods([one(7, 3), one(1, 5)])]).to.deep.equal(['a'])
    expect([...partlyResetPods([one(7, 3), one(1, 1)])]).to.deep.equal(['a'])
    const buckets = [...one(7, 3), ...one(8, 9)]
    expect([...partlyResetPods([buckets, one(1, 5)])]).to.deep.equal(['a'])
  })

  it('but not if all of it did, or what is new in it', () => {
    expect(partlyResetPods([one(7, 3), one(9, 0), one(0, 5)]).size).to.equal(0)
    expect(partlyResetPods([[...one(7, 3), ...one(8, 9)]]).size).to.equal(0)
  })

  it('but not if nothing of it began anew, or another pod did', () => {
    expect(partlyResetPods([one(3, 7), one(1, 1)]).size).to.equal(0)
    expect(partlyResetPods([one(3, 7), [{ pod: 'b', start: 7, end: 3 }]]).size).to.equal(0)
  })
})

describe('the stratum of a series', () => {
  it('N44: is the value of the label, and an empty one of a series without the label', () => {
    const cart = counter('total', 'a', [1, 2], { route: '/cart' })
    expect(stratumOf(cart, 'route')).to.deep.equal({ stratum: '/cart' })
    expect(stratumOf(cart, 'handler')).to.deep.equal({ stratum: '' })
    expect(stratumOf(cart, undefined)).to.deep.equal({})
  })

  it('N44: is never a member that all objects have, whatever the name of the label is', () => {
    const one = counter('total', 'a', [1, 2], { toString: '/cart' })
    expect(stratumOf(one, 'toString')).to.deep.equal({ stratum: '/cart' })
    for (const label of ['constructor', 'hasOwnProperty', 'valueOf', '__proto__'])
      expect(stratumOf(one, label), label).to.deep.equal({ stratum: '' })
  })

  it('N44: groups items, which are one group where the metric has no strata', () => {
    const [one, other] = [{ stratum: 'a' }, { stratum: '' }]
    expect(inStrata([one, other, one])).to.deep.equal([
      [one, [one, one]],
      [other, [other]],
    ])
    expect(inStrata([{}, {}])).to.deep.equal([[{}, [{}, {}]]])
  })
})
