import { expect } from 'chai'
import { valueAnswer } from '../../../../common/analysis/query/one-number.ts'

const value = (number: number) => ({ is: 'value', value: number }) as const
const NOTHING = { is: 'nothing' } as const
const failure = (message: string) => ({ is: 'failed', message }) as const

describe('the numbers that a query gave', () => {
  it('are one of each arm', () =>
    expect(valueAnswer(value(2), value(1))).to.deep.equal({
      is: 'data',
      data: { is: 'value', treatment: 2, control: 1 },
    }))

  it('are that of the treatment if nothing else was asked', () =>
    expect(valueAnswer(value(0))).to.deep.equal({ is: 'data', data: { is: 'treatmentValue', treatment: 0 } }))

  it('are missing where the query gave nothing', () => {
    expect(valueAnswer(NOTHING, value(1))).to.deep.equal({ is: 'silent', arms: ['treatment'] })
    expect(valueAnswer(value(1), NOTHING)).to.deep.equal({ is: 'silent', arms: ['control'] })
    expect(valueAnswer(NOTHING, NOTHING)).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
    expect(valueAnswer(NOTHING)).to.deep.equal({ is: 'silent', arms: ['treatment'] })
  })

  it('are of no use if one of them failed', () => {
    expect(valueAnswer(failure('503'), NOTHING)).to.deep.equal(failure('503'))
    expect(valueAnswer(NOTHING, failure('503'))).to.deep.equal(failure('503'))
  })
})
