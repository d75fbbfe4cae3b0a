import { expect } from 'chai'
import { errorTypeIn } from '../../../../common/analysis/query/error-types.ts'

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
