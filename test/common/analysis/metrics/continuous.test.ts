import { expect } from 'chai'
import { foldContinuous, judgeContinuous } from '../../../../common/analysis/metrics/continuous.ts'
import { splitLists } from '../../../../common/analysis/metrics/state-lists.ts'
import type { FineCounts, WindowData } from '../../../../common/analysis/window-data.ts'
import { question } from './windows.ts'

const RULE = { tolerancePercent: 10, maxRegressionPercent: 25 }
const fine = (treatment: readonly FineCounts[], control = treatment): WindowData & { readonly is: 'fine' } => ({
  is: 'fine',
  ratio: 1.1,
  treatment,
  control,
})

describe('latency from samples or fine buckets', () => {
  it('counts requests below all buckets as the fastest', () => {
    const state = foldContinuous(
      [],
      fine([{ zero: 30, buckets: [[-3, 10]] }], [{ zero: 0, buckets: [[-3, 40]] }]),
      RULE,
    )
    const found = judgeContinuous(state ?? [], question())
    expect(found.samples).to.deep.equal({ treatment: 40, control: 40 })
    expect(found.effect?.estimate).to.be.closeTo(-100, 0.1)
  })

  it('estimates medians inside a bucket, from how many requests are above and below', () => {
    const window = fine(
      [
        {
          zero: 0,
          buckets: [
            [4, 50],
            [5, 50],
          ],
        },
      ],
      [{ zero: 0, buckets: [[4, 100]] }],
    )
    const { effect } = judgeContinuous(foldContinuous([], window, RULE) ?? [], question())
    expect(effect?.estimate).to.be.closeTo(100 * (1.1 ** 0.5 - 1), 1e-9)
  })

  it('keeps narrow buckets over as wide a range of times as others', () => {
    const narrow = (buckets: FineCounts['buckets']): WindowData & { readonly is: 'fine' } => {
      const counts = [{ zero: 0, buckets }]
      return { is: 'fine', ratio: 2 ** (1 / 256), treatment: counts, control: counts }
    }
    // half of the requests take 2 s, a tenth 1,024 s
    const window = narrow([
      [0, 40],
      [256, 50],
      [2_560, 10],
    ])
    let state: readonly number[] = []
    for (let index = 0; index < 3; index += 1) state = foldContinuous(state, window, RULE) ?? []
    expect(state.length).to.be.at.most(900)
    const [, , , bounds] = splitLists(state)
    expect(bounds).to.deep.equal([256, 256, 256, 2_560, 2_560])
  })

  it('keeps a sketch of the slowest, with all others in its lowest bin', () => {
    const state =
      foldContinuous(
        [],
        fine([
          {
            zero: 0,
            buckets: [
              [-9_000, 7],
              [-200, 2],
              [0, 5],
            ],
          },
        ]),
        RULE,
      ) ?? []
    expect(state.length).to.be.at.most(900)
    expect(judgeContinuous(state, question()).samples.treatment).to.equal(14)
  })

  it('has nothing to say about windows without requests', () => {
    const state = foldContinuous([], { is: 'samples', treatment: [], control: [] }, RULE) ?? []
    const found = judgeContinuous(state, question())
    expect([found.verdict, found.effect]).to.deep.equal(['Wait', { of: 'median' }])
  })
})

describe('fine buckets whose width changes', () => {
  const [narrow, wide] = [2 ** (1 / 8), 2 ** (1 / 4)]
  const at = (ratio: number, ...counts: readonly (readonly [k: number, count: number])[]) => {
    const pods = ['a', 'b'].map((pod) => ({ pod, zero: 0, buckets: counts }))
    return { is: 'fine', ratio, treatment: pods, control: pods } as const
  }
  const folded = (windows: readonly Parameters<typeof foldContinuous>[1][]) => {
    let state: readonly number[] | undefined = []
    for (const window of windows) state = state && foldContinuous(state, window, RULE)
    return state
  }
  // bucket k of the wide ones is what 2k−1 and 2k are of the narrow ones
  const inNarrow = at(narrow, [-3, 20], [-2, 5], [1, 30], [6, 40], [9, 9])
  const inWide = at(wide, [-1, 25], [1, 30], [3, 40], [5, 9])

  it('are joined to wider ones of former windows', () =>
    expect(folded([inWide, inNarrow, inNarrow])).to.deep.equal(folded([inWide, inWide, inWide])))

  it('are joined in what former windows have counted, for good', () => {
    const [ratio, treatment, control, bounds] = splitLists(folded([inNarrow, inNarrow, inWide]) ?? [])
    const [ofWide, ...others] = splitLists(folded([inWide, inWide, inWide]) ?? [])
    expect([ratio, treatment, control, bounds]).to.deep.equal([ofWide, ...others.slice(0, 3)])
    const again = splitLists(folded([inNarrow, inNarrow, inWide, inNarrow]) ?? [])
    expect(again[0]).to.deep.equal([wide])
  })

  it('keep the evidence that was there before', () => {
    const slower = at(narrow, [16, 40])
    const before = { ...slower, control: inNarrow.control }
    const [, , , , ranks = []] = splitLists(folded([before]) ?? [])
    const silent = { ...at(wide), treatment: [], control: [] }
    const [, , , , after] = splitLists(folded([before, silent]) ?? [])
    expect(ranks[0]).to.be.above(0)
    expect(after).to.deep.equal(ranks)
  })

  it('are of no use if they are not made up of each other', () =>
    expect(folded([inNarrow, at(1.5, [1, 9])])).to.equal(undefined))
})
