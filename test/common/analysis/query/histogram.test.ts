import { expect } from 'chai'
import { histogramAnswer } from '../../../../common/analysis/query/histogram.ts'
import type { PrometheusSeries } from '../../../../common/analysis/query/series.ts'
import { bucketSeries, counter, native } from './some-series.ts'
import { windowQuery } from './window-queries.ts'

const ARMS = { treatment: { workload: 'x', pods: ['a'] }, control: { workload: 'y', pods: ['c'] } }
const coarseOf = (pod: string) => bucketSeries(pod, { '0.1': [0, 5], '+Inf': [0, 9] })
const nativeOf = (pod: string) => [native(pod, [[], [[1, 2, 9]]])]
const answer = (
  treatment: readonly PrometheusSeries[],
  control: readonly PrometheusSeries[],
  boundaries?: readonly number[],
) => {
  const query = windowQuery('Latency', { histogram: 'h' }, { arms: ARMS, ...(boundaries && { boundaries }) })
  const found = histogramAnswer({ treatment, control }, query)
  return found.is === 'data' ? found.data.is : found
}
const SORTS = {
  is: 'failed',
  message: 'the histograms are of different sorts: some are native, some have buckets',
}

describe('the histograms of a window', () => {
  it('are native ones, or have buckets', () => {
    expect(answer(nativeOf('a'), nativeOf('c'))).to.equal('fine')
    expect(answer(coarseOf('a'), coarseOf('c'))).to.equal('coarse')
  })

  it('are native ones where there are both', () => {
    const both = (pod: string) => [...coarseOf(pod), ...nativeOf(pod)]
    expect(answer(both('a'), both('c'))).to.equal('fine')
    expect(answer(both('a'), nativeOf('c'))).to.equal('fine')
  })

  it('have buckets where an arm has no others, or where the run began with buckets', () => {
    const both = (pod: string) => [...coarseOf(pod), ...nativeOf(pod)]
    expect(answer(both('a'), coarseOf('c'))).to.equal('coarse')
    expect(answer(both('a'), both('c'), [0.1])).to.equal('coarse')
  })

  it('are of no use if they are of different sorts', () => {
    expect(answer(nativeOf('a'), coarseOf('c'))).to.deep.equal(SORTS)
    expect(answer(nativeOf('a'), nativeOf('c'), [0.1])).to.deep.equal(SORTS)
  })

  it('N44: are told apart by the label of the strata, and have buckets then', () => {
    const query = windowQuery('Latency', { histogram: 'h', stratifyBy: 'route' }, { arms: ARMS })
    const ofRoutes = (pod: string) => [
      ...bucketSeries(pod, { '0.1': [0, 5], '+Inf': [0, 9] }, { route: '/cart', code: '200' }),
      ...bucketSeries(pod, { '0.1': [0, 1], '+Inf': [0, 1] }, { route: '/cart', code: '500' }),
      ...bucketSeries(pod, { '0.1': [1, 4], '+Inf': [1, 4] }),
    ]
    const stratified = (pod: string) => [
      { pod, stratum: '/cart', total: 10, exceeding: [4] },
      { pod, stratum: '', total: 3, exceeding: [0] },
    ]
    const both = { treatment: [...ofRoutes('a'), ...nativeOf('a')], control: [...ofRoutes('c'), ...nativeOf('c')] }
    expect(histogramAnswer(both, query)).to.deep.equal({
      is: 'data',
      data: { is: 'coarse', boundaries: [0.1], treatment: stratified('a'), control: stratified('c') },
    })
    expect(histogramAnswer({ treatment: nativeOf('a'), control: nativeOf('c') }, query)).to.deep.equal({
      is: 'failed',
      message:
        'stratifyBy needs classic histograms, and an arm has only native ones; expose both sorts, or remove stratifyBy',
    })
  })

  it('are unknown of an arm without any', () => {
    expect(answer([], coarseOf('c'))).to.deep.equal({ is: 'silent', arms: ['treatment'] })
    expect(answer(nativeOf('a'), [])).to.deep.equal({ is: 'silent', arms: ['control'] })
    expect(answer([], [])).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
  })

  it('are not the numbers of a summary of the same name', () => {
    const summary = [counter('h', 'a', ['NaN', 'NaN'], { quantile: '0.5' })]
    expect(answer(summary, coarseOf('c'))).to.deep.equal({ is: 'silent', arms: ['treatment'] })
    expect(answer([...summary, ...coarseOf('a')], coarseOf('c'))).to.equal('coarse')
  })
})
