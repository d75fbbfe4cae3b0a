import { expect } from 'chai'
import { errorTypeIn, partialAnswer } from '../../../../common/analysis/query/prometheus-errors.ts'

describe('errorTypeIn', () => {
  it('finds a word of Prometheus', () =>
    expect(errorTypeIn({ status: 'error', errorType: 'bad_data' })).to.equal('bad_data'))

  for (const json of [
    undefined,
    null,
    'bad_data',
    ['bad_data'],
    {},
    { errorType: 'secret' },
    { errorType: ['bad_data'] },
    { errorType: 'bad_data ' },
  ])
    it(`finds none in ${JSON.stringify(json)}`, () => expect(errorTypeIn(json)).to.equal(undefined))
})

const INFO = 'PromQL info: metric might not be a counter, name does not end in _total/_sum/_count/_bucket: "h" (1:6)'
const WARNING = 'PromQL warning: quantile value should be between 0 and 1, got 95 (1:20)'
const DOWN = 'no store of zone b answered'

const said = (warnings: unknown) => partialAnswer({ warnings })?.message

describe('a partial answer', () => {
  it('N13: is none with remarks on the query only', () => {
    for (const whole of [undefined, null, [], [INFO], [WARNING, INFO], INFO]) expect(said(whole)).to.equal(undefined)
  })

  it('N13: is one with any other warning, and the first one is told', () => {
    expect(said([DOWN])).to.equal(`the answer is partial: ${DOWN}`)
    expect(said([INFO, DOWN, WARNING, 'b', 'c'])).to.equal(`the answer is partial: ${DOWN} (and 2 more warnings)`)
    for (const other of ['PromQL error: x', 'PromQL information', `store: ${INFO}`, 'promql info: x', `\n${INFO}`])
      expect(said([other])).to.match(/^the answer is partial: /)
  })

  it('N13: is told without invisible characters, and in few', () => {
    expect(said(['down\u202e\n'])).to.equal('the answer is partial: down\\u202e\\u000a')
    expect(said(['x'.repeat(1_000_000)])).to.have.length.below(300)
  })

  it('has no words where a warning is no text', () => {
    for (const wordless of [[{}], [''], 7, {}, [null], [[INFO]]])
      expect(said(wordless)).to.equal('the answer is partial: it has warnings')
  })
})
