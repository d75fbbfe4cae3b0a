import { expect } from 'chai'
import { DECISION, MANN_WHITNEY } from '../../../../common/analysis/metrics/one-look.ts'
import type { Samples, WindowData } from '../../../../common/analysis/window-data.ts'
import { VECTORS } from '../engine/vectors.ts'
import { question } from './windows.ts'

const VERDICTS: Readonly<Record<string, string>> = { notSignificant: 'Wait', noHarm: 'Pass', harm: 'Fail' }

describe('the metric of kind MannWhitney', () => {
  for (const { what, treat, ctrl, minSamples, verdict } of VECTORS.gd_more)
    it(`gives the verdict of Gated Deployments, over several windows: ${what}`, () => {
      const rule = { minSamples, zScoreThreshold: 1.96, harmThreshold: 1.5 }
      // the first window has too few samples for a look
      const first = Math.max(0, minSamples - 1)
      const half = (values: readonly number[], part: 0 | 1) =>
        part === 0 ? values.slice(0, first) : values.slice(first)
      let state: readonly number[] = []
      for (const part of [0, 1] as const) {
        const arm = (values: readonly number[]) => [{ values: half(values, part) }]
        const data: WindowData = { is: 'samples', treatment: arm(treat), control: arm(ctrl) }
        state = MANN_WHITNEY.fold(state, data, rule) ?? []
      }
      expect(state.length).to.be.at.most(1_000)
      expect(MANN_WHITNEY.judge(state, rule, question()).verdict).to.equal(VERDICTS[verdict])
    })

  it('looks once', () => {
    const rule = { minSamples: 50, zScoreThreshold: 1.96, harmThreshold: 1.5 }
    const arm = (value: number) => [{ values: Array.from({ length: 50 }, (_, index) => value + index / 100) }]
    const equal: WindowData = { is: 'samples', treatment: arm(1), control: arm(1) }
    const slow: WindowData = { is: 'samples', treatment: arm(9), control: arm(1) }
    const looked = MANN_WHITNEY.fold([], equal, rule) ?? []
    expect(MANN_WHITNEY.fold(looked, slow, rule)).to.deep.equal(looked)
    expect(MANN_WHITNEY.judge(looked, rule, question()).verdict).to.equal('Pass')
    expect(MANN_WHITNEY.judge(MANN_WHITNEY.fold([], slow, rule) ?? [], rule, question()).verdict).to.equal('Fail')
  })

  const RULE = { minSamples: 50, zScoreThreshold: 1.96, harmThreshold: 1.5 }
  const [FAST, SLOW] = [0.1, 0.3]
  const pod = (count: number, value: number) => ({ values: Array.from({ length: count }, () => value) })
  /** The result of windows with these pods of the treatment and of the control. */
  function resultOf(...windows: readonly (readonly [own: readonly Samples[], others: readonly Samples[]])[]) {
    let state: readonly number[] = []
    for (const [treatment, control] of windows)
      state = MANN_WHITNEY.fold(state, { is: 'samples', treatment, control }, RULE) ?? []
    expect(state.length).to.be.at.most(1_000)
    return MANN_WHITNEY.judge(state, RULE, question())
  }

  it('compares all pods, however many samples they have', () => {
    const mixed = [pod(100, FAST), pod(100, SLOW)]
    expect(resultOf([mixed, [pod(450, FAST), pod(450, SLOW)]]).verdict).to.equal('Pass')
    expect(resultOf([[pod(2_000, FAST), pod(2_000, SLOW)], mixed]).verdict).to.equal('Pass')
    expect(resultOf([[pod(200, SLOW)], [pod(450, FAST), pod(450, SLOW)]]).verdict).to.equal('Fail')
  })

  it('compares all windows, however many samples they have', () => {
    const thin = (value: number) => [pod(20, value)]
    const many = (value: number) => [pod(4_000, value)]
    const windows = [FAST, SLOW, SLOW].map((value) => [thin(value), many(value)] as const)
    expect(resultOf(...windows)).to.deep.include({ verdict: 'Pass', samples: { treatment: 60, control: 450 } })
  })

  it('can do nothing with other data', () =>
    expect(MANN_WHITNEY.fold([], { is: 'value', treatment: 1, control: 1 }, {})).to.equal(undefined))
})

describe('the metric of kind Decision', () => {
  it('says what the plugin said last', () => {
    const said = (decision: 'Wait' | 'Pass' | 'Fail', state: readonly number[] = []) =>
      DECISION.fold(state, { is: 'decision', decision, message: '' }, {}) ?? []
    expect(DECISION.judge([], {}, question()).verdict).to.equal('Wait')
    expect(DECISION.judge(said('Pass'), {}, question()).verdict).to.equal('Pass')
    const after = DECISION.judge(said('Fail', said('Wait')), {}, question())
    expect(after).to.deep.include({ verdict: 'Fail', samples: { treatment: 2, control: 0 } })
    expect(DECISION.fold([], { is: 'value', treatment: 1, control: 1 }, {})).to.equal(undefined)
  })
})
