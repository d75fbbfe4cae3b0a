import { expect } from 'chai'
import {
  coarseCounts,
  eventCounts,
  medianIn,
  numberInRow,
  RowsReader,
  rowsIn,
  samplesBy,
} from '../../../../common/analysis/query/nrql-rows.ts'

const answer = (results: unknown) => ({ data: { actor: { account: { nrql: { results } } } } })
const PODS = ['a', 'b']

describe('the rows of an answer of New Relic', () => {
  it('N30: are the same where they are taken while they arrive, and no more than New Relic gives', () => {
    const answer = { data: { actor: { account: { nrql: { results: [] } } } } }
    const read = (count: number, row: unknown) => {
      const reader = new RowsReader()
      const last = Array.from({ length: count }, () => reader.take(row)).indexOf(false)
      const rows = rowsIn(answer, reader)
      return [last, rows.is === 'rows' ? rows.rows.length : rows.message]
    }
    expect(read(5_000, {})).to.deep.equal([-1, 5_000])
    expect(read(5_001, {})).to.deep.equal([5_000, 'the answer of New Relic has more than 5000 rows'])
    expect(read(2, undefined)).to.deep.equal([-1, 'the answer of New Relic has a row of more than 16 KiB'])
    expect(rowsIn({ ...answer, errors: [{}] }, new RowsReader())).to.include({ is: 'failed' })
  })

  it('are its results', () => {
    expect(rowsIn(answer([{ count: 1 }]))).to.deep.equal({ is: 'rows', rows: [{ count: 1 }] })
    expect(rowsIn({ ...answer([]), errors: [] })).to.deep.equal({ is: 'rows', rows: [] })
    expect(rowsIn({ ...answer([]), errors: null })).to.deep.equal({ is: 'rows', rows: [] })
  })

  const wrong: Readonly<Record<string, readonly (readonly [what: string, json: unknown])[]>> = {
    'New Relic answered with errors': [
      ['errors alone', { errors: [{ message: 'secret' }] }],
      ['errors beside rows', { ...answer([{ count: 1 }]), errors: [{ message: 'Query timed out' }] }],
      ['errors of another type', { ...answer([]), errors: 'secret' }],
    ],
    'the answer of New Relic has no results': [
      ['no account', { data: { actor: { account: null } } }],
      ['results that are no list', answer({ 0: {} })],
      ['a list', [answer([])]],
      ['null', null],
    ],
    'the answer of New Relic has more than 5000 rows': [['too many rows', answer(Array(5_001).fill({}))]],
  }
  for (const [message, cases] of Object.entries(wrong))
    for (const [what, json] of cases)
      it(`are missing in ${what}`, () => expect(rowsIn(json)).to.deep.equal({ is: 'failed', message }))
})

describe('the counts of pods', () => {
  const coarse = coarseCounts(2)

  it('are read from facets, of one name or a list', () => {
    const rows = [
      { facet: 'a', host: 'a', count: 9, b0: 5, b1: 5 },
      { facet: ['b'], host: 'b', count: 3, b0: 0, b1: 0 },
    ]
    expect(coarse(rows, PODS)).to.deep.equal({
      is: 'pods',
      pods: [
        { pod: 'a', exceeding: [5, 5], total: 9 },
        { pod: 'b', exceeding: [0, 0], total: 3 },
      ],
    })
    expect(eventCounts([{ facet: 'a', count: 9, events: 2 }], PODS)).to.deep.equal({
      is: 'pods',
      pods: [{ pod: 'a', events: 2, exposure: 9 }],
    })
  })

  it('leave out pods without requests', () => {
    expect(coarse([], PODS)).to.deep.equal({ is: 'pods', pods: [] })
    expect(eventCounts([{ facet: 'a', count: 0, events: 0 }], PODS)).to.deep.equal({ is: 'pods', pods: [] })
  })

  const row = { facet: 'a', count: 9, b0: 5, b1: 4, events: 2 }
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    'a pod twice': [row, row],
    'another pod': [{ ...row, facet: 'c' }],
    'no pod': [{ ...row, facet: null }],
    'a name that only a prototype has': [{ ...row, facet: 'toString' }],
    'half a request': [{ ...row, count: 9.5 }],
    'no count': [{ facet: 'a', b0: 5, b1: 4, events: 2 }],
    'a row that is no object': [7],
    'counts as texts': [{ ...row, b1: '4', events: '2' }],
    'more events than requests': [{ ...row, b0: 10, events: 10 }],
    'less than none': [{ ...row, b1: -1, events: -1 }],
  }
  for (const [what, rows] of Object.entries(wrong))
    it(`never have ${what}`, () => {
      const failed = { is: 'failed', message: 'results: must have whole counts of each pod, once' }
      expect(coarse(rows, PODS)).to.deep.equal(failed)
      expect(eventCounts(rows, PODS)).to.deep.equal(failed)
    })

  it('never grow from boundary to boundary', () =>
    expect(coarse([{ ...row, b1: 6 }], PODS)).to.deep.include({ is: 'failed' }))
})

describe('the samples of pods', () => {
  const samples = samplesBy('k8s.podName')
  const sample = { timestamp: 1, 'k8s.podName': 'a', duration: 0.2 }

  it('are read row by row', () =>
    expect(samples([sample, { ...sample, 'k8s.podName': 'b' }, { ...sample, duration: 0 }], PODS)).to.deep.equal({
      is: 'pods',
      pods: [
        { pod: 'a', values: [0.2, 0] },
        { pod: 'b', values: [0.2] },
      ],
    }))

  it('may be missing where a page is full', () => {
    expect(samples(Array(4_999).fill(sample), PODS)).to.deep.include({ is: 'pods' })
    expect(samples(Array(5_000).fill(sample), PODS)).to.deep.equal({
      is: 'failed',
      message: 'results: has 5000 rows, so that some may be missing',
    })
  })

  for (const wrong of [
    { duration: '1' },
    { duration: -1 },
    { duration: null },
    { 'k8s.podName': 'c' },
    { 'k8s.podName': 1 },
  ])
    it(`never have ${JSON.stringify(wrong)}`, () =>
      expect(samples([{ ...sample, ...wrong }], PODS)).to.deep.equal({
        is: 'failed',
        message: 'results: must have the duration and the pod of each transaction',
      }))
})

describe('the median', () => {
  const median = (count: unknown, held: unknown) => medianIn([{ count, 'percentile.duration': held }])

  it('is that of all requests, if there are any', () => {
    expect(median(4, { 50: 0.1 })).to.deep.equal({ is: 'median', seconds: 0.1 })
    expect(median(0, { 50: 0 })).to.deep.equal({ is: 'median' })
    expect(median(0, { 50: null })).to.deep.equal({ is: 'median' })
    expect(medianIn([])).to.deep.equal({ is: 'median' })
  })

  it('is one number', () => {
    const failed = { is: 'failed', message: 'results: must have one median' }
    for (const held of [undefined, null, 0.1, {}, { 50: null }, { 50: '0.1' }, { 50: -1 }])
      expect(median(4, held)).to.deep.equal(failed)
    expect(median('4', { 50: 0.1 })).to.deep.equal(failed)
    expect(medianIn(Array(2).fill({ count: 1, 'percentile.duration': { 50: 1 } }))).to.deep.equal(failed)
  })
})

describe('the value of a query', () => {
  it('is the only number in the only row', () => {
    expect(numberInRow([{ 'average.duration': 0.45 }])).to.deep.equal({ is: 'value', value: 0.45 })
    expect(numberInRow([{ 'percentile.duration': { 95: 0.2 } }])).to.deep.equal({ is: 'value', value: 0.2 })
  })

  it('may be unknown', () => {
    for (const rows of [[], [{ 'average.duration': null }], [{ 'percentile.duration': { 95: null } }]])
      expect(numberInRow(rows)).to.deep.equal({ is: 'value' })
  })

  for (const rows of [
    [{}],
    [7],
    [{ a: 1, b: 2 }],
    [{ a: 1 }, { a: 1 }],
    [{ a: '1' }],
    [{ a: { b: 1, c: 2 } }],
    [{ a: [1] }],
  ])
    it(`is not in ${JSON.stringify(rows)}`, () =>
      expect(numberInRow(rows)).to.deep.equal({ is: 'failed', message: 'results: must be one row with one number' }))
})
