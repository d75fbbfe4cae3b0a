import { expect } from 'chai'
import { MAX_TRACE, type RunPoint } from '../../../../common/analysis/kinds/run.ts'
import { withTracePoint } from '../../../../common/analysis/run/fold.ts'

const point = (at: number): RunPoint => ({ at: String(at), harm: at, safe: 0 })

describe('a trace', () => {
  it('has every point until it is full, then every second one', () => {
    const full = Array.from({ length: MAX_TRACE }, (_, at) => point(at)).reduce(
      withTracePoint,
      [] as readonly RunPoint[],
    )
    expect(full).to.have.length(MAX_TRACE)
    const next = withTracePoint(full, point(MAX_TRACE))
    expect(next).to.have.length(MAX_TRACE / 2 + 1)
    expect(next.slice(0, 3).map(({ harm }) => harm)).to.deep.equal([0, 2, 4])
    expect(next.at(-1)).to.deep.equal(point(MAX_TRACE))
  })

  it('never has more points, and always the first and the last one', () => {
    let trace: readonly RunPoint[] = []
    for (let at = 0; at < 1_000; at += 1) {
      trace = withTracePoint(trace, point(at))
      expect(trace.length).to.be.at.most(MAX_TRACE)
      expect(trace.at(-1)).to.deep.equal(point(at))
      expect(trace[0]).to.deep.equal(point(0))
    }
  })
})
