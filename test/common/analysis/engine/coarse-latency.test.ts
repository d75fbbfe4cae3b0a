import { expect } from 'chai'
import {
  bodyEvidence,
  coarseEvidence,
  noCoarseState,
  tailEvidence,
  withCoarseWindow,
} from '../../../../common/analysis/engine/coarse-latency.ts'
import { mixture } from '../../../../common/analysis/engine/mixture.ts'
import { FACTORS, SHIFTS } from '../../../../common/analysis/engine/steps.ts'
import { areNear, VECTORS } from './vectors.ts'

/** The evidence of windows with 100 requests of each arm. So many of them take longer than the first boundary. */
function evidenceOf(windows: readonly (readonly [own: number, others: number])[]) {
  const arm = (above: number) => ({ exceeding: [above, 0], total: 100 })
  const state = windows.reduce(
    (former, [own, others]) =>
      withCoarseWindow(
        former,
        { boundaries: [1, 2], treatment: arm(own), control: arm(others) },
        { tolerance: 0.1, maxRegression: 0.25 },
      ),
    noCoarseState(2),
  )
  return coarseEvidence(state)
}

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

  it('finds harm where all requests were in one bucket, and those of the treatment leave it', () =>
    expect(afterOneBucket(100, 0).harm.all).to.be.above(Math.log(40)))

  it('finds no harm where the requests of both leave their bucket', () => {
    for (const above of [1, 50, 99, 100]) expect(afterOneBucket(above, above).harm.all).to.be.at.most(0)
  })
})
