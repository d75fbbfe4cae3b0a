import { expect } from 'chai'
import { VALUE } from '../../../../common/analysis/metrics/value.ts'
import { question } from './windows.ts'

const RULE = { tolerancePercent: 10, maxRegressionPercent: 25 }

function judgementAfter(
  windows: number,
  treatment: number,
  control: number,
  rule: Parameters<typeof VALUE.fold>[2] = RULE,
) {
  let state: readonly number[] = []
  for (let window = 0; window < windows; window += 1)
    state = VALUE.fold(state, { is: 'value', treatment, control }, rule) ?? []
  return VALUE.judge(state, rule, question())
}

describe('the metric of a value', () => {
  it('finds what is larger, but not before seven windows', () => {
    expect(judgementAfter(6, 2, 1).verdict).to.equal('Wait')
    expect(judgementAfter(7, 2, 1)).to.deep.include({ verdict: 'Fail', effect: { estimate: 100, of: 'value' } })
  })

  it('finds what is no larger', () => {
    expect(judgementAfter(6, 1, 1).verdict).to.equal('Wait')
    expect(judgementAfter(7, 1, 1).verdict).to.equal('Pass')
  })

  it('finds what is smaller where more is better', () => {
    const rule = { ...RULE, higherIsBetter: true }
    expect([judgementAfter(7, 0.5, 1, rule).verdict, judgementAfter(7, 2, 1, rule).verdict]).to.deep.equal([
      'Fail',
      'Pass',
    ])
    expect(judgementAfter(7, 0.5, 1, rule).effect?.estimate).to.equal(100)
  })

  it('finds no harm in equal values that are negative, whichever is better', () => {
    const rule = { ...RULE, higherIsBetter: true }
    for (const each of [RULE, rule]) expect(judgementAfter(7, -5, -5, each).verdict).to.equal('Pass')
    expect([judgementAfter(7, -5.4, -5, rule).verdict, judgementAfter(7, -4.6, -5).verdict]).to.deep.equal([
      'Pass',
      'Pass',
    ])
    expect([judgementAfter(7, -10, -5, rule).verdict, judgementAfter(7, -2, -5).verdict]).to.deep.equal([
      'Fail',
      'Fail',
    ])
    expect([judgementAfter(7, -2, -5, rule).verdict, judgementAfter(7, -10, -5).verdict]).to.deep.equal([
      'Pass',
      'Pass',
    ])
  })

  it('finds that nothing is no more than nothing, whichever is better', () => {
    for (const rule of [RULE, { ...RULE, higherIsBetter: true }])
      expect([judgementAfter(6, 0, 0, rule).verdict, judgementAfter(7, 0, 0, rule).verdict]).to.deep.equal([
        'Wait',
        'Pass',
      ])
  })

  it('finds no harm where fewer than half of the windows are worse, and the others equal', () => {
    let state: readonly number[] = []
    for (let window = 0; window < 400; window += 1) {
      const treatment = window % 5 < 2 ? 1 : 0
      state = VALUE.fold(state, { is: 'value', treatment, control: 0 }, RULE) ?? []
      expect(VALUE.judge(state, RULE, question()).verdict).not.to.equal('Fail')
    }
  })

  it('waits where the tolerance is exceeded, and what has to be ruled out is not', () =>
    expect(judgementAfter(3, 1.2, 1).verdict).to.equal('Wait'))

  it('can do nothing with other data', () =>
    expect(VALUE.fold([], { is: 'treatmentValue', treatment: 1 }, RULE)).to.equal(undefined))
})
