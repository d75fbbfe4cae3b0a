import { expect } from 'chai'
import { THRESHOLD } from '../../../../common/analysis/metrics/threshold.ts'
import { question } from './windows.ts'

const RULE = { min: 1, max: 5, failureLimit: 2, successCount: 3 }

function judgementAfter(values: readonly number[], rule: Parameters<typeof THRESHOLD.fold>[2] = RULE) {
  const fold = (state: readonly number[], treatment: number) =>
    THRESHOLD.fold(state, { is: 'treatmentValue', treatment }, rule) ?? []
  return THRESHOLD.judge(values.reduce<readonly number[]>(fold, []), rule, question()).verdict
}

describe('the metric of a threshold', () => {
  it('fails after more violations in a row than the limit', () => {
    expect(judgementAfter([6, 0])).to.equal('Wait')
    expect(judgementAfter([6, 0, 7])).to.equal('Fail')
    expect(judgementAfter([6, 0, 3, 7, 0])).to.equal('Wait')
  })

  it('passes after enough windows inside, unless the last is outside', () => {
    expect(judgementAfter([1, 5])).to.equal('Wait')
    expect(judgementAfter([1, 6, 5, 3])).to.equal('Pass')
    expect(judgementAfter([1, 5, 3, 6])).to.equal('Wait')
  })

  it('may have one bound', () => {
    expect(judgementAfter([-9, -9, -9], { max: 5, successCount: 3, failureLimit: 0 })).to.equal('Pass')
    expect(judgementAfter([9], { max: 5, successCount: 3, failureLimit: 0 })).to.equal('Fail')
  })

  it('bounds no error, and can do nothing with other data', () => {
    expect(THRESHOLD.isBounded).to.equal(false)
    expect(THRESHOLD.fold([], { is: 'value', treatment: 1, control: 1 }, RULE)).to.equal(undefined)
  })
})
