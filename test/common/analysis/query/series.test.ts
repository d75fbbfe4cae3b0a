import { expect } from 'chai'
import fc from 'fast-check'
import { countAt, countIn, numberIn, numberInResult, seriesIn } from '../../../../common/analysis/query/series.ts'
import { LAW } from '../../../property.ts'
import { histogramItem, instant, jsonReply, matrix, points, seriesItem } from './answers.ts'
import { LABELS, WINDOW } from './window-queries.ts'

const ASKED = { window: WINDOW, namespace: 'shop', pods: ['a', 'b'], labels: LABELS }
const messageOf = (reply: Parameters<typeof seriesIn>[0]) => {
  const read = seriesIn(reply, ASKED)
  return read.is === 'failed' ? read.message : read.is
}
/** JSON that is nested so deeply that a recursive reader would end the program. */
function deep(): unknown {
  let value: unknown = []
  for (let level = 0; level < 100_000; level++) value = [value]
  return value
}

describe('the series of an answer of Prometheus', () => {
  it('have their name, their pod and what they are at the edges', () => {
    const buckets = { count: '1', sum: '1', buckets: [] }
    const reply = matrix(
      seriesItem('h_bucket', 'a', ['1', '2'], { le: '0.1' }),
      seriesItem('h_bucket', 'b', [undefined, 'NaN']),
      histogramItem('h', 'b', [buckets, undefined]),
    )
    const labels = { namespace: 'shop' }
    expect(seriesIn(reply, ASKED)).to.deep.equal({
      is: 'series',
      series: [
        {
          name: 'h_bucket',
          pod: 'a',
          labels: { ...labels, pod: 'a', le: '0.1' },
          values: { start: '1', end: '2' },
          histograms: {},
        },
        { name: 'h_bucket', pod: 'b', labels: { ...labels, pod: 'b' }, values: { end: 'NaN' }, histograms: {} },
        { name: 'h', pod: 'b', labels: { ...labels, pod: 'b' }, values: {}, histograms: { start: buckets } },
      ],
    })
  })

  it('have counted their number, or all of a native histogram', () => {
    const buckets = { count: '5', sum: '1', buckets: [] }
    const read = seriesIn(matrix(seriesItem('n', 'a', [undefined, '7']), histogramItem('h', 'a', [buckets, {}])), ASKED)
    const counts = read.is === 'series' && read.series.map((one) => [countAt(one, 'start'), countAt(one, 'end')])
    expect(counts).to.deep.equal([
      [undefined, 7],
      [5, undefined],
    ])
  })

  it('may be none', () => expect(seriesIn(matrix(), ASKED)).to.deep.equal({ is: 'series', series: [] }))

  it('name their pod and namespace by the labels of the provider', () => {
    const labels = { podLabel: 'k8s_pod', namespaceLabel: 'k8s_ns' }
    const reply = matrix({ metric: { __name__: 'h', k8s_pod: 'a', k8s_ns: 'shop' }, values: points('1', '2') })
    expect(seriesIn(reply, { ...ASKED, labels })).to.have.property('is', 'series')
    expect(messageOf(reply)).to.contain('not asked for')
  })

  const sound = seriesItem('h', 'a', ['1', '2'])
  const OTHERS = 'the answer has series that were not asked for'
  const MALFORMED = 'the answer is not in the format of Prometheus'
  const OTHER_TIMES =
    'the answer is of other times than were asked for; the address of the provider must not align queries with their step'
  /** The points of a server that moves both edges of the window to multiples of its length. */
  const aligned = (value: unknown) => {
    const step = (WINDOW.end - WINDOW.start) / 1_000
    const start = Math.floor(WINDOW.start / 1_000 / step) * step
    return [
      [start, value],
      [start + step, value],
    ]
  }
  const refused: readonly (readonly [what: string, reply: ReturnType<typeof matrix>, message: string])[] = [
    ['an error', jsonReply({ status: 'error', errorType: 'bad_data', error: 'secret' }), 'error bad_data'],
    ['an error of no known type', jsonReply({ status: 'error', errorType: 'secret', error: 'secret' }), 'error'],
    ['no status', jsonReply({ data: { resultType: 'matrix', result: [] } }), MALFORMED],
    ['a status of another program', jsonReply({ status: 'ok' }), MALFORMED],
    ['no object', jsonReply([1]), MALFORMED],
    ['no JSON', jsonReply(undefined), MALFORMED],
    ['too deep JSON', jsonReply(deep()), MALFORMED],
    ['too deep labels', matrix({ ...sound, metric: { pod: deep() } }), MALFORMED],
    ['too deep points', matrix({ ...sound, values: deep() }), MALFORMED],
    ['no data', jsonReply({ status: 'success' }), MALFORMED],
    ['a vector', instant('vector', []), MALFORMED],
    ['a result that is no list', instant('matrix', { 0: sound }), MALFORMED],
    ['a series that is no object', matrix('a'), MALFORMED],
    ['labels that are no object', matrix({ ...sound, metric: ['a'] }), MALFORMED],
    ['a label that is no text', matrix(seriesItem('h', 'a', ['1', '2'], { code: 5 })), MALFORMED],
    ['a value that is a number', matrix(seriesItem('h', 'a', [1, '2'])), MALFORMED],
    ['points that are no list', matrix({ ...sound, values: { 0: '1' } }), MALFORMED],
    ['a point that is no list', matrix({ ...sound, values: ['1'] }), MALFORMED],
    ['a point without a time', matrix({ ...sound, values: [['1700000000.123', '1']] }), MALFORMED],
    ['a point inside the window', matrix({ ...sound, values: [[WINDOW.start / 1_000 + 1, '1']] }), OTHER_TIMES],
    ['the times of another step', matrix({ ...sound, values: aligned('1') }), OTHER_TIMES],
    ['histograms of another step', matrix({ ...sound, values: undefined, histograms: aligned({}) }), OTHER_TIMES],
    [
      'two points at an edge',
      matrix({ ...sound, values: [...points('1', undefined), ...points('1', '2')] }),
      MALFORMED,
    ],
    ['a histogram that is a text', matrix(histogramItem('h', 'a', ['1', '2'])), MALFORMED],
    [
      'a series twice',
      matrix(sound, { ...sound, metric: { pod: 'a', namespace: 'shop', __name__: 'h' } }),
      'the answer has a series twice',
    ],
    ['the series of another pod', matrix(seriesItem('h', 'ab', ['1', '2'])), OTHERS],
    ['a series without a pod', matrix({ ...sound, metric: { __name__: 'h', namespace: 'shop' } }), OTHERS],
    ['a series of another namespace', matrix(seriesItem('h', 'a', ['1', '2'], { namespace: 'bank' })), OTHERS],
  ]
  for (const [what, reply, message] of refused)
    it(`are not read from an answer with ${what}`, () => expect(messageOf(reply)).to.equal(message))

  it('are not read from a partial answer', () => {
    const withWarnings = (warnings: unknown) =>
      messageOf(jsonReply({ status: 'success', warnings, data: { resultType: 'matrix', result: [sound] } }))
    expect(withWarnings(['no store of zone b answered'])).to.equal('the answer is partial: no store of zone b answered')
    for (const wordless of [[{}], [''], 7, {}])
      expect(withWarnings(wordless)).to.equal('the answer is partial: it has warnings')
    expect(withWarnings([])).to.equal('series')
  })

  it('N13: are read from an answer with remarks on the query', () => {
    const warnings = ['PromQL info: metric might not be a counter', 'PromQL warning: a mix of histograms and floats']
    const data = { resultType: 'matrix', result: [sound] }
    expect(messageOf(jsonReply({ status: 'success', warnings, data }))).to.equal('series')
  })

  it('keep the words of a failed request', () => {
    const failure = { is: 'failed', message: '503', retryAfterMs: 7_000 } as const
    expect(seriesIn(failure, ASKED)).to.equal(failure)
    expect(numberInResult(failure)).to.equal(failure)
  })

  it('are read or refused for any JSON, and a refusal has no word of it', () => {
    const label = fc.constantFrom('pod', 'namespace', '__name__', '__proto__', 'constructor')
    const metric = fc.dictionary(label, fc.oneof(fc.constantFrom('a', 'b', 'shop'), fc.jsonValue()))
    const values = fc.array(fc.tuple(fc.constantFrom(WINDOW.start / 1_000, 5), fc.jsonValue()))
    const item = fc.oneof(fc.record({ metric, values }), fc.jsonValue())
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(item).map((items) => matrix(...items)),
          fc.jsonValue().map(jsonReply),
        ),
        (reply) => {
          const TWICE = 'the answer has a series twice'
          expect([MALFORMED, OTHER_TIMES, OTHERS, TWICE, 'series', 'error']).to.include(messageOf(reply))
        },
      ),
      LAW,
    )
  })
})

describe('a number of Prometheus', () => {
  it('is read as it writes them', () =>
    expect(['0', '-1.5', '1e+21', '2.5E-07', '123456789012'].map(numberIn)).to.deep.equal([
      0, -1.5, 1e21, 2.5e-7, 123456789012,
    ]))

  for (const wrong of ['NaN', '+Inf', '-Inf', 'Infinity', '', ' 1', '0x10', '1_000', '1e999', '.', null, 1, ['1']])
    it(`is not ${JSON.stringify(wrong)}`, () => expect(numberIn(wrong)).to.equal(undefined))

  it('is a count if it is whole, not negative and exact', () => {
    expect(['0', '7', '1e+06', '9007199254740991'].map(countIn)).to.deep.equal([0, 7, 1e6, Number.MAX_SAFE_INTEGER])
    expect(['-1', '0.5', '9007199254740992', '1e300', 'NaN', '+Inf'].map(countIn)).to.deep.equal(
      Array.from({ length: 6 }, () => undefined),
    )
  })
})

describe('the one number of a query', () => {
  const one = (value: unknown) => instant('vector', [{ metric: {}, value: [1, value] }])

  it('is that of a scalar, or of a vector with one series', () => {
    expect(numberInResult(instant('scalar', [1, '-2.5']))).to.deep.equal({ is: 'value', value: -2.5 })
    expect(numberInResult(one('0.25'))).to.deep.equal({ is: 'value', value: 0.25 })
  })

  it('may be missing', () => expect(numberInResult(instant('vector', []))).to.deep.equal({ is: 'nothing' }))

  const NOT_ONE = 'the query did not give one number'
  const NO_NUMBER = 'the query gave NaN or no finite number'
  const refused: readonly (readonly [what: string, reply: ReturnType<typeof instant>, message: string])[] = [
    ['NaN', one('NaN'), NO_NUMBER],
    ['+Inf', one('+Inf'), NO_NUMBER],
    ['a number outside of a text', one(1), NO_NUMBER],
    ['a point of three members', instant('scalar', [1, '2', '3']), NO_NUMBER],
    ['a histogram', instant('vector', [{ metric: {}, histogram: [1, {}] }]), NO_NUMBER],
    ['a series that is no object', instant('vector', ['1']), NO_NUMBER],
    ['two series', instant('vector', [{ value: [1, '1'] }, { value: [1, '1'] }]), NOT_ONE],
    ['a range', instant('matrix', []), NOT_ONE],
    ['a text', instant('string', [1, '1']), NOT_ONE],
    ['no list', instant('vector', { length: 1 }), NOT_ONE],
    [
      'a partial answer',
      jsonReply({ status: 'success', warnings: ['x'], data: { resultType: 'scalar', result: [1, '1'] } }),
      'the answer is partial: x',
    ],
  ]
  for (const [what, reply, message] of refused)
    it(`is not ${what}`, () => expect(numberInResult(reply)).to.deep.equal({ is: 'failed', message }))
})
