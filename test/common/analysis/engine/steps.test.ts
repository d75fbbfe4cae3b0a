import { added, mixture } from '../../../../common/analysis/engine/mixture.ts'
import { ranksOf } from '../../../../common/analysis/engine/ranks.ts'
import { fixedRateSteps, oddsSteps, rateSteps, signSteps } from '../../../../common/analysis/engine/steps.ts'
import { areNear, countsOf, rankSteps, VECTORS } from './vectors.ts'

/** The mixture after each window. */
function afterEachWindow(windows: readonly (readonly number[])[]): readonly number[] {
  let sums: readonly number[] = (windows[0] ?? []).map(() => 0)
  return windows.map((steps) => {
    sums = added(sums, steps)
    return mixture(sums)
  })
}

describe('the steps of a bet are those of the vectors:', () => {
  it('of ranks', () => {
    for (const { margin, direction, blocks, logE } of VECTORS.block_mw)
      areNear(
        afterEachWindow(blocks.map(({ treat, ctrl }) => rankSteps(ranksOf(treat, ctrl, 1 + margin), direction))),
        logE,
      )
  })

  it('of rates', () => {
    for (const { margin, direction, rows, logE } of VECTORS.rate_ratio)
      areNear(afterEachWindow(rows.map((row) => rateSteps(countsOf(row), 1 + margin, direction))), logE)
  })

  it('of odds', () => {
    for (const { margin, direction, rows, logE } of VECTORS.fisher)
      areNear(afterEachWindow(rows.map((row) => oddsSteps(countsOf(row), 1 + margin, direction))), logE)
  })

  it('of odds of many requests', () => {
    for (const { et, nt, ec, nc, w0, direction, logE } of VECTORS.odds_large)
      areNear(oddsSteps(countsOf([et, nt, ec, nc]), w0, direction), logE)
  })

  it('of a fixed rate', () => {
    for (const { acceptable, direction, rows, logE } of VECTORS.fixed_rate)
      areNear(
        afterEachWindow(rows.map(([events, exposure]) => fixedRateSteps({ events, exposure }, acceptable, direction))),
        logE,
      )
  })

  it('of signs', () => {
    for (const { margin, windows, logE } of VECTORS.sign)
      areNear(afterEachWindow(windows.map(([treatment, control]) => signSteps(treatment, control, margin, 1))), logE)
  })
})

describe('a step says nothing', () => {
  it('where nothing happened', () => {
    areNear(oddsSteps(countsOf([0, 10, 0, 40]), 1, 1), [0, 0, 0, 0, 0, 0, 0])
    areNear(oddsSteps(countsOf([10, 10, 40, 40]), 1, 1), [0, 0, 0, 0, 0, 0, 0])
    areNear(rateSteps(countsOf([0, 0, 0, 0]), 1.2, 1), [0, 0, 0, 0, 0, 0, 0])
    areNear(rankSteps({ u: 0, a: 0, b: 5 }, 1), [0, 0, 0, 0, 0])
  })

  it('of an arm without exposure, even where an event is counted in it', () => {
    for (const row of [
      [1, 0, 3, 50],
      [1, 0, 0, 0],
      [2, 50, 1, 0],
    ] as const)
      areNear(rateSteps(countsOf(row), 1.2, 1), [0, 0, 0, 0, 0, 0, 0])
    areNear(fixedRateSteps({ events: 1, exposure: 0 }, 0.01, 1), [0, 0, 0, 0, 0, 0, 0])
  })
})
