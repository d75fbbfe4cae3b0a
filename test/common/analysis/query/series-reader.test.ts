import { expect } from 'chai'
import fc from 'fast-check'
import { LATENCY } from '../../../../common/analysis/metrics/latency.ts'
import { coarseAnswer } from '../../../../common/analysis/query/coarse-buckets.ts'
import { histogramAnswer } from '../../../../common/analysis/query/histogram.ts'
import { nativeHistogramIn, packedHistogram } from '../../../../common/analysis/query/native-buckets.ts'
import {
  numberInResult,
  type PrometheusSeries,
  ResultReader,
  SeriesPlaces,
  SeriesReader,
  seriesIn,
} from '../../../../common/analysis/query/series.ts'
import { LAW } from '../../../property.ts'
import { instant, jsonReply, matrix, points, seriesItem } from './answers.ts'
import { counter } from './some-series.ts'
import { LABELS, WINDOW, windowQuery } from './window-queries.ts'

const ASKED = { window: WINDOW, namespace: 'shop', pods: ['a', 'b'], labels: LABELS }
const ONE_POD = { workload: 'cart', pods: ['a'] }
const FEWER = 'choose fewer by prometheus.matchers'

const item = (index: number, labels: Readonly<Record<string, string>> = {}) =>
  seriesItem('h', 'a', ['1', '2'], { index: `${index}`, ...labels })
const areTaken = (reader: SeriesReader, ...items: readonly unknown[]) => items.map(reader.take)
const messageIn = (reader: SeriesReader) => {
  const read = seriesIn(matrix(), ASKED, reader)
  return read.is === 'failed' ? read.message : read.is
}

describe('series that are taken while their answer arrives', () => {
  it('N30: are at most 20,000 of one version, in all answers together', () => {
    const places = new SeriesPlaces()
    const [events, total] = [new SeriesReader(ASKED, places), new SeriesReader(ASKED, places)]
    for (let index = 0; index < 5_000; index += 1) events.take(item(index))
    for (let index = 0; index < 15_000; index += 1) total.take(item(index))
    expect([messageIn(events), messageIn(total)]).to.deep.equal(['series', 'series'])
    expect(areTaken(total, item(15_000), item(15_001))).to.deep.equal([false, false])
    expect(messageIn(total)).to.equal(`the answers about one version have more than 20000 series; ${FEWER}`)
  })

  it('N44: keep the label of the strata, beside a hash of what nobody reads', () => {
    const labelsOf = (asked: ConstructorParameters<typeof SeriesReader>[0]) => {
      const reader = new SeriesReader(asked)
      reader.take(item(1, { route: '/cart' }))
      const { taken } = reader
      return taken.is === 'series' ? taken.series.map(({ labels }) => labels.route) : taken
    }
    expect([labelsOf(ASKED), labelsOf({ ...ASKED, stratifyBy: 'route' })]).to.deep.equal([[undefined], ['/cart']])
  })

  it('N30: are refused where one is too long or has too many labels, with the remedy', () => {
    const refused = (...items: readonly unknown[]) => {
      const reader = new SeriesReader(ASKED)
      expect(areTaken(reader, ...items).at(-1)).to.equal(false)
      return messageIn(reader)
    }
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`l${index}`, '']))
    const various = Array.from({ length: 1_100 }, (_, index) => item(index, { [`l${index}`]: '' }))
    expect(refused(item(1), undefined)).to.equal(`the answer has a series of more than 256 KiB; ${FEWER}`)
    for (const labels of [many, { l: 'x'.repeat(20_000) }])
      expect(refused(item(1, labels))).to.equal(
        `a series has more than 128 labels or 16384 characters in them; ${FEWER}`,
      )
    expect(refused(...various)).to.equal(`the series of the answer have labels of more than 1024 names; ${FEWER}`)
  })

  it('N30: are refused as before: first for what the answer is, then for the first of them that is of no use', () => {
    const reader = new SeriesReader(ASKED)
    const other = seriesItem('h', 'c', ['1', '2'])
    expect(areTaken(reader, item(1), other, item(1))).to.deep.equal([true, false, false])
    expect(messageIn(reader)).to.equal('the answer has series that were not asked for')
    const failed = seriesIn(jsonReply({ status: 'error', errorType: 'timeout' }), ASKED, reader)
    expect(failed).to.include({ message: 'error timeout' })
  })

  it('N30: have numbers of at most 24 characters, which say the same', () => {
    const reader = new SeriesReader(ASKED)
    areTaken(
      reader,
      seriesItem('h', 'a', [`0.${'0'.repeat(300)}1`, `9${'0'.repeat(400)}`], { le: '1' }),
      seriesItem('h', 'a', ['1e+21', '9007199254740991'], { le: '2' }),
    )
    const { taken } = reader
    expect(taken.is === 'series' && taken.series.map(({ values }) => values)).to.deep.equal([
      { start: '1e-301', end: 'NaN' },
      { start: '1e+21', end: '9007199254740991' },
    ])
  })

  it('N30: give the answer that they give with all their labels', () => {
    const query = windowQuery('Latency', { histogram: 'h' })
    const arms = { treatment: { workload: 'f', pods: ['a'] }, control: { workload: 's', pods: ['b'] } }
    const [count, value] = [fc.option(fc.nat({ max: 9 }), { nil: undefined }), fc.constantFrom('x', 'y')]
    const bucket = fc.record({
      pod: fc.constantFrom('a', 'b'),
      le: fc.constantFrom('0.1', '1', '+Inf'),
      labels: fc.record({ path: value, code: value, job: value, instance: value }),
      ends: fc.tuple(count, count),
    })
    const buckets = fc.uniqueArray(bucket, { maxLength: 12, selector: ({ ends: _, ...each }) => JSON.stringify(each) })
    const answerOf = (series: readonly PrometheusSeries[]) => {
      const of = (name: string) => series.filter(({ pod }) => pod === name)
      return coarseAnswer({ treatment: of('a'), control: of('b') }, { ...query, arms })
    }
    fc.assert(
      fc.property(buckets, (all) => {
        const whole = all.map(({ pod, le, labels, ends }) => counter('h_bucket', pod, ends, { le, ...labels }))
        const reader = new SeriesReader(ASKED)
        for (const { name, labels, values } of whole)
          reader.take({ metric: { __name__: name, ...labels }, values: points(values.start, values.end) })
        const { taken } = reader
        if (taken.is === 'failed') throw new Error(taken.message)
        expect(answerOf(taken.series)).to.deep.equal(answerOf(whole))
      }),
      LAW,
    )
  })
})

describe('20,000 series', () => {
  it('N30: are a state of at most 1,000 numbers, also where they are all of one pod', () => {
    const query = { ...windowQuery('Latency', { histogram: 'h' }), arms: { treatment: ONE_POD, control: ONE_POD } }
    const reader = new SeriesReader(ASKED)
    for (let index = 1; index <= 20_000; index += 1)
      reader.take(seriesItem('h_bucket', 'a', ['0', `${index}`], { le: index < 20_000 ? `${index}` : '+Inf' }))
    const { taken } = reader
    if (taken.is === 'failed') throw new Error(taken.message)
    const answer = histogramAnswer({ treatment: taken.series, control: taken.series }, query)
    if (answer.is !== 'data') throw new Error(`there is no data: ${JSON.stringify(answer)}`)
    const rule = { tolerancePercent: 10, maxRegressionPercent: 25 }
    expect(LATENCY.fold([], answer.data, rule)).to.have.length.within(1, 1_000)
  })

  it('N30: may be native histograms, which say the same where they are packed', () => {
    const bucket = fc.tuple(
      fc.nat({ max: 3 }),
      fc.constantFrom('0.5', '1', 'x'),
      fc.constantFrom('1', '2', '-0.5'),
      fc.constantFrom('3', '0.5', 'y'),
    )
    const buckets = fc.oneof(
      fc.array(fc.oneof(bucket, fc.constant(1)), { maxLength: 3 }),
      fc.constantFrom(null, undefined, 'x', {}),
    )
    fc.assert(
      fc.property(buckets, (held) => {
        const sent = { count: '5', sum: '1', buckets: held }
        expect(nativeHistogramIn(packedHistogram(sent))).to.deep.equal(nativeHistogramIn(sent))
      }),
      LAW,
    )
    expect(packedHistogram({ count: '5', junk: 'x'.repeat(1_000), buckets: {} })).to.deep.equal({
      count: '5',
      buckets: Number.NaN,
    })
  })
})

describe('the result of a query that is taken while its answer arrives', () => {
  it('N30: is the same number, and no more than three items are kept', () => {
    const taken = (type: string, ...items: readonly unknown[]) => {
      const reader = new ResultReader()
      const last = items.findIndex((each) => !reader.take(each))
      const read = numberInResult(instant(type, []), reader.items)
      return [last, read.is === 'failed' ? read.message : read]
    }
    const one = { metric: {}, value: [1, '0.25'] }
    expect(taken('vector', one)).to.deep.equal([-1, { is: 'value', value: 0.25 }])
    expect(taken('scalar', 1, '-2.5')).to.deep.equal([-1, { is: 'value', value: -2.5 }])
    expect(taken('vector', one, one, one, one)).to.deep.equal([2, 'the query did not give one number'])
    expect(taken('scalar', 1, '2', '3', '4')).to.deep.equal([2, 'the query gave NaN or no finite number'])
    expect(taken('vector', undefined)).to.deep.equal([-1, 'the query gave NaN or no finite number'])
  })
})
