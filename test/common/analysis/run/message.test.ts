import { expect } from 'chai'
import type { RunMetric } from '../../../../common/analysis/kinds/run.ts'
import { messageOf } from '../../../../common/analysis/run/message.ts'
import type { Finding } from '../../../../common/analysis/run/verdict.ts'

const metric = (of: Partial<RunMetric> = {}): RunMetric => ({
  ...{ name: 'latency', verdict: 'Wait', reason: 'Measuring', since: '2026-11-23T12:00:00Z' },
  ...of,
})
const SAMPLES = { samples: { treatment: 10, control: 40 } }
const WAIT: Finding = { verdict: 'Wait', reason: 'Measuring' }
const of = (metrics: readonly RunMetric[], finding = WAIT, failures: readonly (readonly [string, string])[] = []) =>
  messageOf({ finding, metrics, failures: new Map(failures), startedMs: 0, nowMs: 600_000 })

describe('the message of an analysis', () => {
  it('says that there was no window yet', () => expect(of([metric()])).to.equal('waiting for the first window'))

  it('has the effect, the interval and the evidence of each metric', () => {
    const harm = { logE: Math.log(12), needs: Math.log(80) }
    expect(
      of([
        metric({ ...SAMPLES, harm, effect: { estimate: 22.4, atLeast: 5, atMost: 50, of: 'median' } }),
        metric({
          ...SAMPLES,
          name: 'errors',
          harm: { logE: -3, needs: Math.log(80) },
          effect: { estimate: -3, of: 'rate' },
        }),
      ]),
    ).to.equal('latency +22% (+5% to +50%), harm 12 of 80; errors -3%, harm <1 of 80')
  })

  it('has one end of the interval, or no estimate, where only that is known', () => {
    expect(of([metric({ ...SAMPLES, effect: { atLeast: 200, of: 'rate' } })])).to.equal('latency (at least +200%)')
    expect(of([metric({ ...SAMPLES, effect: { estimate: 1, atMost: 25, of: 'rate' } })])).to.equal(
      'latency +1% (at most +25%)',
    )
    expect(of([metric({ ...SAMPLES, verdict: 'Pass' })])).to.equal('latency Pass')
  })

  it('says how long it takes at the present pace', () => {
    const safe = [{ part: 'body', logE: 1, needs: 3 }]
    expect(of([metric({ ...SAMPLES, safe })])).to.equal('latency Wait; needs about 20m more')
    expect(of([metric({ ...SAMPLES, safe: [{ part: 'body', logE: 3, needs: 3 }] })])).to.equal('latency Wait')
    expect(of([metric({ ...SAMPLES, safe: [{ part: 'body', logE: -1, needs: 3 }] })])).to.equal('latency Wait')
    expect(of([metric({ ...SAMPLES, safe })], { verdict: 'Inconclusive', reason: 'NotShown' })).to.equal('latency Wait')
  })

  it('says why there is nothing to compare, and what a provider failed with', () => {
    expect(of([metric()], { verdict: 'Wait', reason: 'NoTraffic' })).to.equal('no requests to either version')
    expect(of([metric()], WAIT, [['latency', '503']])).to.equal('latency: no data: 503')
  })

  it('counts evidence of more than a million as a million', () => {
    const harm = { logE: 800, needs: Math.log(80) }
    expect(of([metric({ ...SAMPLES, harm })])).to.equal('latency harm 1000000 of 80')
  })
})
