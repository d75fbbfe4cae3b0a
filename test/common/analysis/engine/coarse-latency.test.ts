import { expect } from 'chai'
import {
  bodyEvidence,
  coarseEvidence,
  isSeen,
  noCoarseState,
  tailEvidence,
  withCoarseWindow,
} from '../../../../common/analysis/engine/coarse-latency.ts'
import { mixture } from '../../../../common/analysis/engine/mixture.ts'
import { FACTORS, SHIFTS } from '../../../../common/analysis/engine/steps.ts'
import { areNear, VECTORS } from './vectors.ts'

/** The state after windows with 100 requests of each arm. So many of them take longer than the first boundary. */
function stateOf(windows: readonly (readonly [own: number, others: number])[], isNarrow = false) {
  const arm = (above: number) => ({ exceeding: [above, 0], total: 100 })
  return windows.reduce(
    (former, [own, others]) =>
      withCoarseWindow(
        former,
        { boundaries: [1, 2], treatment: arm(own), control: arm(others) },
        { tolerance: 0.1, maxRegression: 0.25 },
        isNarrow,
      ),
    noCoarseState(2),
  )
}
const evidenceOf = (...windows: Parameters<typeof stateOf>) => coarseEvidence(stateOf(...windows))

/** Two windows in which all requests are in the lowest bucket, then twenty others. */
const afterOneBucket = (own: number, others: number) =>
  evidenceOf(Array.from({ length: 22 }, (_, window) => (window < 2 ? [0, 0] : [own, others])))

describe('latency from coarse buckets', () => {
  for (const [index, vector] of VECTORS.latency_buckets.entries())
    it(`is that of vector ${index} after each window`, () => {
      const { le, tolerance, maxRegression, windows, out, live } = vector
      let state = noCoarseState(le.length)
      for (const [window, { et, nt, ec, nc }] of windows.entries()) {
        const arms = { treatment: { exceeding: et, total: nt }, control: { exceeding: ec, total: nc } }
        state = withCoarseWindow(state, { boundaries: le, ...arms }, { tolerance, maxRegression })
        const { harm, parts } = coarseEvidence(state)
        const [body, tail] = [state.body, state.tail].map(({ all }) => mixture(all))
        const expected = out[window]
        areNear([harm.all, body ?? NaN, tail ?? NaN], [expected?.harm ?? 0, expected?.body ?? 0, expected?.tail ?? 0])
        expect(parts.every((part) => part <= Math.log(4))).to.equal(expected?.calm)
      }
      expect(state.calibration?.live).to.deep.equal(live)
    })

  /** The part of the capital that is on each bet: what is left if all other bets lose all. */
  const stakes = (evidence: (bets: readonly number[]) => number, bets: number) =>
    Array.from({ length: bets }, (_, index) =>
      Math.exp(evidence(Array.from({ length: bets }, (_, each) => (each === index ? 0 : -1e9)))),
    )

  it('N38: bets all of its capital, and no more, on what can win where the versions are about equal', () => {
    areNear(stakes(tailEvidence, FACTORS.length), [0, 1 / 8, 1 / 8, 1 / 2 + 1 / 8, 1 / 8, 0, 0])
    areNear(stakes(bodyEvidence, FACTORS.length), [1 / 4, 1 / 4, 1 / 4, 1 / 4, 0, 0, 0])
    areNear(stakes(bodyEvidence, SHIFTS.length), [1 / 4, 1 / 4, 1 / 4, 1 / 4, 0])
  })

  it('says nothing where all requests are in one bucket', () => {
    const all = { exceeding: [0, 0], total: 500 }
    let state = noCoarseState(2)
    for (let window = 0; window < 3; window += 1)
      state = withCoarseWindow(
        state,
        { boundaries: [1, 2], treatment: all, control: all },
        { tolerance: 0.1, maxRegression: 0.25 },
      )
    const none = { all: 0, without: [] }
    expect(coarseEvidence(state)).to.deep.include({ harm: none, body: none, tail: none })
  })

  it('N44: may count only the boundaries of body and tail', () => {
    const wide = { exceeding: [990, 900, 500, 200, 50, 20], total: 1_000 }
    const margins = { tolerance: 0.1, maxRegression: 0.25 }
    const liveAfter = (isNarrow: boolean) => {
      const window = { boundaries: [1, 2, 3, 4, 5, 6], treatment: wide, control: wide }
      const first = withCoarseWindow(noCoarseState(6), window, margins, isNarrow)
      return withCoarseWindow(first, window, margins, isNarrow).calibration?.live
    }
    expect([liveAfter(false), liveAfter(true)]).to.deep.equal([
      [0, 1, 2, 3, 4, 5],
      [2, 4],
    ])
  })

  it('N44: is seen where the boundary of the body has requests on both sides, or is not known yet', () => {
    const seen = (above: number) => isSeen(stateOf(Array(4).fill([above, above])))
    expect([seen(0), seen(50), seen(100)]).to.deep.equal([false, true, false])
    expect(isSeen(stateOf([[0, 0]]))).to.equal(true)
  })

  it('finds harm where all requests were in one bucket, and those of the treatment leave it', () =>
    expect(afterOneBucket(100, 0).harm.all).to.be.above(Math.log(40)))

  it('finds no harm where the requests of both leave their bucket', () => {
    for (const above of [1, 50, 99, 100]) expect(afterOneBucket(above, above).harm.all).to.be.at.most(0)
  })
})
