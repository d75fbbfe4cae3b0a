import { expect } from 'chai'
import { foldCoarse, judgeCoarse } from '../../../../common/analysis/metrics/coarse.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'
import { question } from './windows.ts'

const RULE = { tolerancePercent: 10, maxRegressionPercent: 25 }

/** `total` requests of each arm, so many of which exceed each boundary. */
const window = (boundaries: readonly number[], exceeding: readonly number[], total: number) => {
  const counts = [{ exceeding, total }]
  return { is: 'coarse', boundaries, treatment: counts, control: counts } satisfies WindowData
}

function stateAfter(windows: number, data: ReturnType<typeof window>) {
  let state: readonly number[] = []
  for (let index = 0; index < windows; index += 1) state = foldCoarse(state, data, RULE) ?? []
  return state
}

describe('latency from coarse buckets', () => {
  it('fits into a state with any number of boundaries', () => {
    const boundaries = Array.from({ length: 100 }, (_, index) => (index + 1) / 100)
    const exceeding = boundaries.map((bound) => Math.round(1_000 * (1 - bound)))
    const state = stateAfter(3, window(boundaries, exceeding, 1_000))
    expect(state.length).to.be.at.most(900)
    expect(judgeCoarse(state, question()).samples).to.deep.equal({ treatment: 3_000, control: 3_000 })
  })

  it('N38: leaves pods out at the boundaries that it keeps, also if there are too many', () => {
    const boundaries = Array.from({ length: 20 }, (_, index) => (index + 1) / 20)
    const arm = (word: string, slowness: number) =>
      ['a', 'b'].map((pod, index) => ({
        pod: `${word}-${pod}`,
        total: 200,
        exceeding: boundaries.map((bound) => Math.round(200 * (1 - bound / (1 + index * slowness)))),
      }))
    const every = (list: readonly number[], step: number) => list.filter((_, index) => index % step === step - 1)
    const kept = (step: number): WindowData & { readonly is: 'coarse' } => {
      const of = (counts: ReturnType<typeof arm>) =>
        counts.map(({ exceeding, ...each }) => ({ ...each, exceeding: every(exceeding, step) }))
      return {
        ...{ is: 'coarse', boundaries: every(boundaries, step) },
        ...{ treatment: of(arm('fork', 3)), control: of(arm('source', 0)) },
      }
    }
    const stateOf = (data: WindowData & { readonly is: 'coarse' }) =>
      [1, 2, 3].reduce<readonly number[]>((state) => foldCoarse(state, data, RULE) ?? [], [])
    expect(stateOf(kept(1))).to.deep.equal(stateOf(kept(2)))
  })

  it('has no estimate while the median is outside of all boundaries', () => {
    expect(judgeCoarse(stateAfter(2, window([0.1, 1], [20, 5], 100)), question()).effect).to.not.have.property(
      'estimate',
    )
    expect(judgeCoarse(stateAfter(2, window([0.1, 1], [80, 60], 100)), question()).effect).to.not.have.property(
      'estimate',
    )
    expect(judgeCoarse(stateAfter(2, window([0.1, 1], [80, 5], 100)), question()).effect?.estimate).to.equal(0)
    const { spread } = judgeCoarse(stateAfter(2, window([0.1, 1, 10], [90, 40, 10], 100)), question())
    // nine tenths take at most 10 s, half of them 10^-0.2
    expect(spread).to.be.closeTo((1.2 * Math.LN10) / 1.28, 1e-9)
    expect(judgeCoarse(stateAfter(2, window([0.1, 1], [80, 40], 100)), question())).to.not.have.property('spread')
  })

  it('says no verdict without names of pods that it could not say with them', () => {
    const slow = { ...window([0.1, 1], [80, 5], 100), treatment: [{ exceeding: [100, 90], total: 100 }] }
    const found = judgeCoarse(stateAfter(9, slow), question())
    expect([found.verdict, found.pods]).to.deep.equal(['Fail', undefined])
  })
})
