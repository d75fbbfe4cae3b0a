import { expect } from 'chai'
import { offsetSeconds, subjectOf } from '../../../../common/analysis/run/subject.ts'
import type { AnalysisSpec } from '../../../../common/api/analysis/analysis.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'

const OF = { uid: 'uid', derivation: { short: 'abc', whole: 'abcdef' }, source: { uid: 'source', templateHash: 'def' } }
const both = (analysis: AnalysisSpec = {}, more: Partial<typeof OF> = {}) => subjectOf({ ...OF, ...more, analysis })
const of = (...given: Parameters<typeof both>) => both(...given).subject

describe('the subject of an analysis', () => {
  it('is ten hex digits', () => expect(of()).to.match(/^[0-9a-f]{10}$/))

  it('is another one for another experiment, fork, source or question', () => {
    const others: readonly string[] = [
      of({}, { uid: 'other' }),
      of({}, { derivation: { short: 'other', whole: 'abcdef' } }),
      of({}, { source: { uid: 'other', templateHash: 'def' } }),
      of({}, { source: { uid: 'source', templateHash: 'other' } }),
      of({ attempt: 2 }),
      of({ alpha: 0.01 }),
      of({ beta: 0.01 }),
      of({ minSamples: 10 }),
      of({ templates: [{ name: 'http' }] }),
    ]
    expect(new Set([of(), ...others]).size).to.equal(others.length + 1)
  })

  it('is the same whatever its times and actions are, and with defaults written out', () => {
    expect(of({ intervalSeconds: 60, warmUpSeconds: 0, maxSeconds: 600, noDataSeconds: 60 })).to.equal(of())
    expect(of({ onTimeout: 'Keep', onNoData: 'Keep', continueAfterPass: true })).to.equal(of())
    expect(of({ attempt: 1, alpha: 0.025, control: 'Source' })).to.equal(of())
    const errors: Metric = { name: 'errors', kind: 'ErrorRate', provider: 'prometheus' }
    expect(of({ metrics: [{ ...errors, dryRun: false, acceptablePercent: 1 }] })).to.equal(of({ metrics: [errors] }))
    expect(of({ metrics: [{ ...errors, acceptablePercent: 2 }] })).to.not.equal(of({ metrics: [errors] }))
    expect(of({ templates: [{ name: 'http', scope: 'Namespace', args: {} }] })).to.equal(
      of({ templates: [{ name: 'http' }] }),
    )
  })

  it('N44: is another one with strata, and with others, and the same as ever without', () => {
    const latency = (stratifyBy: object): Metric => ({
      ...{ name: 'latency', kind: 'Latency', provider: 'prometheus' },
      prometheus: { histogram: 'h', ...stratifyBy },
    })
    const asked = (stratifyBy: object) => of({ metrics: [latency(stratifyBy)] })
    expect(new Set([asked({}), asked({ stratifyBy: 'route' }), asked({ stratifyBy: 'code' })]).size).to.equal(3)
    expect(asked({}), 'that of earlier versions').to.equal('1a3b86fa7e')
  })

  it('N31: has a whole hash, which also differs where only the whole hash of the fork does', () => {
    const other = both({}, { derivation: { short: 'abc', whole: 'other' } })
    expect(both().whole).to.match(/^[0-9a-f]{64}$/)
    expect([other.subject, other.whole === both().whole]).to.deep.equal([of(), false])
  })

  it('moves windows by less than an interval', () => {
    const offsets = ['0000000000', '000000001d', of()].map((subject) => offsetSeconds(subject, 30))
    expect(offsets.slice(0, 2)).to.deep.equal([0, 29])
    expect(offsets[2]).to.be.within(0, 29)
  })
})
