import { expect } from 'chai'
import { ofBuckets, ofSamples, ZERO_BUCKET } from '../../../../common/analysis/engine/distribution.ts'
import {
  inWiderBuckets,
  latencyEvidence,
  NO_LATENCY_STATE,
  withLatencyWindow,
} from '../../../../common/analysis/engine/latency.ts'
import { mixture } from '../../../../common/analysis/engine/mixture.ts'
import { areNear, VECTORS } from './vectors.ts'

describe('latency from samples', () => {
  for (const [index, vector] of VECTORS.latency_samples.entries())
    it(`is that of vector ${index} after each window`, () => {
      const { tolerance, maxRegression, windows, out, thresholds } = vector
      let state = NO_LATENCY_STATE
      for (const [at, { treatment, control }] of windows.entries()) {
        state = withLatencyWindow(state, ofSamples(treatment, control), { tolerance, maxRegression })
        const { harm, parts } = latencyEvidence(state)
        const [body, tail] = [state.body, state.tail].map(({ all }) => mixture(all))
        const expected = out[at]
        areNear([harm.all, body ?? NaN, tail ?? NaN], [expected?.harm ?? 0, expected?.body ?? 0, expected?.tail ?? 0])
        expect(parts.every((part) => part <= Math.log(4))).to.equal(expected?.calm)
      }
      expect(state.bounds).to.deep.equal(thresholds)
    })
})

describe('latency from fine buckets', () => {
  const RATIO = 2 ** (1 / 8)
  const margins = { tolerance: RATIO - 1, maxRegression: RATIO ** 3 - 1 }
  const binsOf = (values: readonly number[]) =>
    new Map(
      Map.groupBy(values, (value) => Math.ceil(8 * Math.log2(value)))
        .entries()
        .map(([bin, of]) => [bin, of.length]),
    )
  /** The upper end of its bin, so that both ways see the same values. */
  const rounded = (value: number) => 2 ** (Math.ceil(8 * Math.log2(value)) / 8)

  it('is that of samples at the ends of the buckets, where the margins are whole numbers of buckets', () => {
    let [bySamples, byBuckets] = [NO_LATENCY_STATE, NO_LATENCY_STATE]
    for (const { treatment, control } of VECTORS.latency_samples[0]?.windows ?? []) {
      const ends = (values: readonly number[], scale: number) => values.map((value) => rounded(value) * scale)
      // a little below the end, so that no product is above its bound by its last digit
      const samples = ofSamples(ends(treatment, 1 - 1e-9), ends(control, 1 - 1e-9))
      bySamples = withLatencyWindow(bySamples, samples, { ...margins, tolerance: RATIO * (1 - 1e-12) - 1 })
      byBuckets = withLatencyWindow(byBuckets, ofBuckets(binsOf(treatment), binsOf(control), RATIO), margins)
    }
    const [one, other] = [latencyEvidence(bySamples), latencyEvidence(byBuckets)]
    expect(bySamples.bounds?.map((bound) => Math.round(8 * Math.log2(bound)))).to.deep.equal(byBuckets.bounds)
    areNear(other.parts.slice(1), one.parts.slice(1))
    areNear([other.tail.all], [one.tail.all])
  })

  it('makes requests without a duration no longer by a margin', () => {
    const window = ofBuckets(new Map([[ZERO_BUCKET, 2]]), new Map([[ZERO_BUCKET, 3]]), 1.1)
    for (const side of [1, -1] as const) expect(window.ranks(0.25, side)).to.deep.equal({ u: 3, a: 2, b: 3 })
    expect(window.above(ZERO_BUCKET, 0.25)).to.deep.equal({
      events: 0,
      exposure: 2,
      controlEvents: 0,
      controlExposure: 3,
    })
  })

  it('rounds a margin to whole buckets against its own claim', () => {
    const window = ofBuckets(new Map([[3, 1]]), new Map([[1, 1]]), 1.2)
    // 25 % is between one and two buckets of 20 %
    expect([window.ranks(0.25, 1).u, window.ranks(0.25, -1).u]).to.deep.equal([0.5, 1])
    expect(window.ranks(0.2, 1)).to.deep.equal(window.ranks(0.2, -1))
    expect(window.above(2, 0.25)).to.deep.equal({ events: 1, exposure: 1, controlEvents: 1, controlExposure: 1 })
    expect(window.above(3, 0.25)).to.deep.equal({ events: 0, exposure: 1, controlEvents: 0, controlExposure: 1 })
  })

  it('keeps of a tail whose bound moves only what speaks against safety', () => {
    const state = { ...NO_LATENCY_STATE, treatment: new Map([[3, 1]]), tail: { all: [2, -3, 0], without: [[-1], [5]] } }
    expect(inWiderBuckets({ ...state, bounds: [1, 2, 3, 5, 7] }, RATIO, 2)).to.deep.equal({
      ...state,
      treatment: new Map([[2, 1]]),
      bounds: [1, 1, 2, 3, 4],
      tail: { all: [0, -3, 0], without: [[-1], [0]] },
    })
    const same = inWiderBuckets({ ...state, bounds: [1, 2, 3, 4, 7] }, RATIO, 2)
    expect([same.bounds, same.tail]).to.deep.equal([[1, 1, 2, 2, 4], state.tail])
    expect(inWiderBuckets(state, RATIO, 2)).not.to.have.property('bounds')
  })
})
