import { expect } from 'chai'
import fc from 'fast-check'
import { isSound } from '../../../../common/analysis/metrics/validity.ts'
import { coarseAnswer } from '../../../../common/analysis/query/coarse-buckets.ts'
import type { PrometheusSeries } from '../../../../common/analysis/query/series.ts'
import { LAW } from '../../../property.ts'
import { bucketSeries, counter } from './some-series.ts'

const ARMS = { treatment: { workload: 'x', pods: ['a', 'b'] }, control: { workload: 'y', pods: ['c'] } }
const CONTROL = bucketSeries('c', { '0.1': [0, 5], '1': [0, 8], '+Inf': [0, 9] })
const answer = (treatment: readonly PrometheusSeries[], boundaries?: readonly number[], control = CONTROL) =>
  coarseAnswer({ treatment, control }, { arms: ARMS, ...(boundaries && { boundaries }) })
const treatmentOf = (treatment: readonly PrometheusSeries[]) => {
  const found = answer(treatment)
  return found.is === 'data' && found.data.is === 'coarse' ? found.data.treatment : found
}
const messageOf = (found: ReturnType<typeof answer>) => (found.is === 'failed' ? found.message : found.is)

describe('the coarse buckets of a window', () => {
  it('say how many requests took longer than each boundary, pod by pod', () =>
    expect(
      answer([
        ...bucketSeries('a', { '+Inf': [10, 20], '1': [9, 17], '0.1': [5, 7] }),
        ...bucketSeries('b', { '0.1': [0, 1], '1': [0, 1], '+Inf': [0, 1] }),
      ]),
    ).to.deep.equal({
      is: 'data',
      data: {
        is: 'coarse',
        boundaries: [0.1, 1],
        treatment: [
          { pod: 'a', total: 10, exceeding: [8, 2] },
          { pod: 'b', total: 1, exceeding: [0, 0] },
        ],
        control: [{ pod: 'c', total: 9, exceeding: [4, 1] }],
      },
    }))

  it('add up the histograms of a pod', () =>
    expect(
      treatmentOf([
        ...bucketSeries('a', { '0.1': [0, 1], '1': [0, 2], '+Inf': [0, 3] }, { route: '/' }),
        ...bucketSeries('a', { '0.1': [0, 0], '1': [0, 4], '+Inf': [0, 4] }, { route: '/cart' }),
      ]),
    ).to.deep.equal([{ pod: 'a', total: 7, exceeding: [6, 1] }]))

  it('count from zero in a pod whose histograms all began anew', () =>
    expect(
      treatmentOf([
        ...bucketSeries('a', { '0.1': [1, 1], '1': [1, 2], '+Inf': [4, 3] }, { route: '/' }),
        ...bucketSeries('a', { '0.1': [0, 0], '1': [6, 5], '+Inf': [6, 7] }, { route: '/cart' }),
        ...bucketSeries('b', { '0.1': [6, 6], '1': [6, 6], '+Inf': [6, 7] }),
      ]),
    ).to.deep.equal([
      { pod: 'a', total: 10, exceeding: [9, 3] },
      { pod: 'b', total: 1, exceeding: [1, 1] },
    ]))

  it('leave out a pod of which only one histogram began anew', () => {
    const histograms = [
      ...bucketSeries('a', { '0.1': [1, 1], '1': [1, 2], '+Inf': [4, 3] }, { route: '/' }),
      ...bucketSeries('a', { '0.1': [9, 90], '1': [99, 990], '+Inf': [99, 990] }, { route: '/cart' }),
    ]
    const other = bucketSeries('b', { '0.1': [6, 6], '1': [6, 6], '+Inf': [6, 7] })
    expect(treatmentOf([...histograms, ...other])).to.deep.equal([{ pod: 'b', total: 1, exceeding: [1, 1] }])
    const found = answer(
      CONTROL.map((series) => ({ ...series, pod: 'a' })),
      undefined,
      [...histograms.map((series) => ({ ...series, pod: 'c' }))],
    )
    expect(found).to.include({ is: 'failed', lacksStart: true })
  })

  it('have the boundaries that all histograms share, as numbers', () => {
    const found = answer(
      bucketSeries('a', { '1e-01': [0, 1], '0.5': [0, 1], '1.0': [0, 2], '5': [0, 2], '+Inf': [0, 2] }),
    )
    expect(found).to.have.nested.property('data.boundaries').deep.equal([0.1, 1])
  })

  it('have no boundary of a series with one edge', () => {
    const found = answer(bucketSeries('a', { '0.1': [undefined, 1], '1': [0, 2], '+Inf': [0, 2] }))
    expect(found).to.have.nested.property('data.boundaries').deep.equal([1])
  })

  it('count a histogram that is born in the window', () => {
    const born = { '0.1': [undefined, 1], '1': [undefined, 4], '+Inf': [undefined, 5] } as const
    const older = bucketSeries('a', { '0.1': [0, 1], '1': [0, 2], '+Inf': [0, 3] }, { route: '/' })
    const other = bucketSeries('b', { '0.1': [0, 1], '1': [0, 2], '+Inf': [0, 3] })
    expect(treatmentOf([...older, ...bucketSeries('a', born, { route: '/cart' }), ...other])).to.deep.equal([
      { pod: 'a', total: 8, exceeding: [6, 2] },
      { pod: 'b', total: 3, exceeding: [2, 1] },
    ])
    expect(treatmentOf([...bucketSeries('a', born), ...other])).to.deep.equal([
      { pod: 'b', total: 3, exceeding: [2, 1] },
    ])
  })

  it('count what the old series grew by in a process whose series got other labels', () => {
    const old = { '0.1': [800, 803], '1': [900, 904], '+Inf': [1_000, 1_005] } as const
    const other = { '0.1': [undefined, 806], '1': [undefined, 908], '+Inf': [undefined, 1_010] } as const
    const series = [...bucketSeries('a', old, { chart: '1.0' }), ...bucketSeries('a', other, { chart: '1.1' })]
    expect(treatmentOf(series)).to.deep.equal([{ pod: 'a', total: 5, exceeding: [2, 1] }])
  })

  it('leave out a histogram that does not count all requests at both edges', () =>
    expect(
      treatmentOf([
        ...bucketSeries('a', { '0.1': [0, 1], '1': [0, 2], '+Inf': [0, 3] }, { route: '/' }),
        ...bucketSeries('a', { '0.1': [0, 0], '1': [0, 4], '+Inf': [undefined, 4] }, { route: '/cart' }),
      ]),
    ).to.deep.equal([{ pod: 'a', total: 3, exceeding: [2, 1] }]))

  it('have no boundary that no time can exceed or all times do', () => {
    const at = { '-1': [0, 0], '0': [0, 0], '0.1': [0, 5], '+Inf': [0, 9] } as const
    expect(answer(bucketSeries('a', at), undefined, bucketSeries('c', at)))
      .to.have.nested.property('data.boundaries')
      .deep.equal([0.1])
  })

  it('keep the boundaries of former windows', () => {
    const now = bucketSeries('a', { '0.1': [0, 1], '1': [0, 2], '+Inf': [0, 3] })
    expect(answer(now, [1]))
      .to.have.nested.property('data.treatment')
      .deep.equal([{ pod: 'a', total: 3, exceeding: [1] }])
    expect(messageOf(answer(now, [0.1, 0.5]))).to.equal(
      'the histograms no longer have all boundaries of former windows',
    )
  })

  it('are of no use without a boundary in common', () => {
    const message = 'the histograms have no boundary in common'
    expect(messageOf(answer(bucketSeries('a', { '0.5': [0, 1], '+Inf': [0, 3] })))).to.equal(message)
    expect(messageOf(answer(bucketSeries('a', { '+Inf': [0, 3] })))).to.equal(message)
  })

  it('are of no use if a bucket has no boundary, or one that is no number', () => {
    const message = 'the histogram has a bucket without a boundary'
    expect(messageOf(answer([counter('h_bucket', 'a', [0, 1])]))).to.equal(message)
    for (const le of ['NaN', 'Inf', '-Inf', 'x', ''])
      expect(messageOf(answer(bucketSeries('a', { [le]: [0, 1], '+Inf': [0, 1] })))).to.equal(message)
  })

  it('are of no use if they are not cumulative', () => {
    const message = 'the histogram has a bucket with more than the one above it'
    expect(messageOf(answer(bucketSeries('a', { '0.1': [0, 3], '1': [0, 2], '+Inf': [0, 4] })))).to.equal(message)
    expect(messageOf(answer(bucketSeries('a', { '0.1': [0, 1], '1': [0, 5], '+Inf': [0, 4] })))).to.equal(message)
  })

  it('are of no use without counts', () => {
    const message = 'the answer has a count that is not a whole number'
    const half = bucketSeries('c', { '0.1': [0, 0.5], '+Inf': [0, 1] })
    expect(messageOf(answer(half))).to.equal(message)
    expect(messageOf(answer(CONTROL, undefined, half))).to.equal(message)
  })

  it('need data of half of the pods', () =>
    expect(messageOf(answer(bucketSeries('a', { '0.1': [0, 3], '1': [0, 2] })))).to.match(/^fewer than half/))

  it('are sound, or of no use', () => {
    const value = fc.option(fc.nat(4), { nil: undefined })
    const buckets = fc.dictionary(fc.constantFrom('0.1', '1', '5', '+Inf'), fc.tuple(value, value))
    const arm = (...pods: readonly string[]) =>
      fc
        .array(fc.tuple(fc.constantFrom(...pods), buckets, fc.constantFrom('/', '/cart')), { maxLength: 3 })
        .map((all) => all.flatMap(([pod, sizes, route]) => bucketSeries(pod, sizes, { route })))
    fc.assert(
      fc.property(arm('a', 'b'), arm('c'), (treatment, control) => {
        const found = answer(treatment, undefined, control)
        if (found.is === 'data') expect(isSound(found.data)).to.equal(true)
      }),
      LAW,
    )
  })
})
