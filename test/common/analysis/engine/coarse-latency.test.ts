import { expect } from 'chai'
import { coarseEvidence, noCoarseState, withCoarseWindow } from '../../../../common/analysis/engine/coarse-latency.ts'
import { areNear, VECTORS } from './vectors.ts'

describe('latency from coarse buckets', () => {
  for (const [index, vector] of VECTORS.latency_buckets.entries())
    it(`is that of vector ${index} after each window`, () => {
      const { le, tolerance, maxRegression, windows, out, live } = vector
      let state = noCoarseState(le.length)
      for (const [window, { et, nt, ec, nc }] of windows.entries()) {
        const arms = { treatment: { exceeding: et, total: nt }, control: { exceeding: ec, total: nc } }
        state = withCoarseWindow(state, { boundaries: le, ...arms }, { tolerance, maxRegression })
        const { harm, body, tail, parts } = coarseEvidence(state)
        const expected = out[window]
        areNear([harm, body, tail], [expected?.harm ?? 0, expected?.body ?? 0, expected?.tail ?? 0])
        expect(parts.every((part) => part <= Math.log(4))).to.equal(expected?.calm)
      }
      expect(state.calibration?.live).to.deep.equal(live)
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
    expect(coarseEvidence(state)).to.deep.include({ harm: 0, body: 0, tail: 0 })
  })
})
