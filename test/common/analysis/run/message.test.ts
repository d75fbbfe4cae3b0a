import { expect } from 'chai'
import type { RunMetric } from '../../../../common/analysis/kinds/run.ts'
import { lookMessage, type MetricOutcome } from '../../../../common/analysis/run/message.ts'
import type { Finding } from '../../../../common/analysis/run/verdict.ts'
import { LATENCY } from './runs.ts'

const metric = (of: Partial<RunMetric> = {}): RunMetric => ({
  ...{ name: 'latency', verdict: 'Wait', reason: 'Measuring', since: '2026-11-23T12:00:00Z' },
  ...of,
})
const SAMPLES = { samples: { treatment: 10, control: 40 } }
const WAIT: Finding = { verdict: 'Wait', reason: 'Measuring' }
const told = (metrics: readonly MetricOutcome[], finding = WAIT) =>
  lookMessage({ finding, metrics, startedMs: 0, nowMs: 600_000 })
const of = (metrics: readonly RunMetric[], finding = WAIT) =>
  told(
    metrics.map((each) => ({ of: LATENCY, metric: each })),
    finding,
  )
const DRY = { ...LATENCY, dryRun: true }

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

  it('N38: says how long it takes at the pace since evidence of another version was dropped', () => {
    const memory = { version: 2, numbers: [], since: new Date(480_000).toISOString() }
    const text = of([metric({ ...SAMPLES, memory, safe: [{ part: 'body', logE: 1, needs: 3 }] })])
    expect(text).to.match(/; needs about 4m more$/)
  })

  it('N15: says what has no series, and only when it is sure', () => {
    const asked = { ...LATENCY, prometheus: { histogram: 'duration_secnds', matchers: ['route="/cart"'] } }
    const none = [{ of: asked, metric: metric({ reason: 'NoSeries' }) }]
    const text =
      'latency: no series of either version in any window so far for duration_secnds{route="/cart"}; check its name'
    expect(told(none)).to.equal('waiting for the first window')
    expect(told(none, { verdict: 'Wait', reason: 'NoSeries' })).to.equal(text)
    expect(told(none, { verdict: 'NoData', reason: 'NoSeries' })).to.equal(text)
  })

  it('says why there is nothing to compare, once, with the metrics', () => {
    const silent = [metric({ reason: 'NoTraffic' }), metric({ name: 'errors', reason: 'NoTraffic' })]
    expect(of([...silent, metric({ name: 'slow', reason: 'NoControlData' })])).to.equal(
      'latency, errors: no requests to either version; slow: no data for the source, only for the fork',
    )
    expect(of([metric({ ...SAMPLES, reason: 'NoTreatmentData' })])).to.equal(
      'latency: no data for the fork, only for its source; latency Wait',
    )
    expect(of([metric({ ...SAMPLES, reason: 'PodsDiffer' })])).to.match(
      /^latency: harm is shown with all pods of the fork, but not/,
    )
  })

  it('N24: speaks of no source where only the fork is asked', () => {
    const bound = { of: { ...LATENCY, kind: 'Threshold' as const }, metric: metric({ reason: 'NoTreatmentData' }) }
    expect(told([bound])).to.equal('latency: no data for the fork')
  })

  it('says once that it waits for pods', () => {
    const waiting = 'waiting for pods of both versions that are Ready for warmUpSeconds'
    expect(of([metric({ reason: 'NoPods' })], { verdict: 'Wait', reason: 'NoPods' })).to.equal(waiting)
    expect(of([metric({ reason: 'NoPods' })])).to.equal(
      'latency: no pods of both versions that were Ready for warmUpSeconds',
    )
  })

  it('says what a provider failed with', () => {
    const failed = (name: string) => ({
      of: LATENCY,
      metric: metric({ name, reason: 'ProviderFailed' }),
      failure: '503',
    })
    expect(told([failed('latency'), failed('errors')])).to.equal('latency, errors: no data: 503')
  })

  it('has what a plugin said about its decision', () => {
    const gate = metric({ ...SAMPLES, name: 'gate', verdict: 'Fail' })
    expect(told([{ of: LATENCY, metric: gate, comment: 'the queue is full' }])).to.equal('gate Fail: the queue is full')
  })

  it('says which metrics are only told, and does not wait for them', () => {
    const safe = [{ part: 'body', logE: 1, needs: 3 }]
    const waiting = { of: DRY, metric: metric({ ...SAMPLES, safe }), failure: '503' }
    expect(told([waiting, { of: LATENCY, metric: metric({ ...SAMPLES, name: 'errors' }) }])).to.equal(
      'latency (dry run): no data: 503; latency (dry run) Wait; errors Wait',
    )
  })

  it('says where single pods were not compared', () => {
    const failed = metric({ ...SAMPLES, verdict: 'Fail', harm: { logE: 5, needs: Math.log(80) } })
    expect(of([failed])).to.equal('latency harm 148 of 80, single pods were not compared')
    expect(of([{ ...failed, pods: { groups: 5, outer: 0 } }])).to.equal('latency harm 148 of 80')
  })

  it('N38: says where there was only one pod at a time', () => {
    const pods = { groups: 1, outer: 0 }
    const failed = metric({ ...SAMPLES, verdict: 'Fail', harm: { logE: 5, needs: Math.log(80) }, pods })
    const cause = 'there was only one pod at a time, which may be the cause, not its version'
    expect(of([failed])).to.equal(`latency harm 148 of 80, ${cause}`)
    const passed = metric({ ...SAMPLES, verdict: 'Pass', safe: [{ part: 'body', logE: 4, needs: 3 }], pods })
    expect(of([passed])).to.equal('latency compared with only one pod at a time')
  })

  it('calls no change zero', () => {
    for (const estimate of [0.4, -0.4, 0])
      expect(of([metric({ ...SAMPLES, effect: { estimate, of: 'rate' } })])).to.equal('latency 0%')
  })

  it('fits into a status', () => {
    const names = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(63))
    const harm = { logE: 800, needs: 800 }
    const effect = { estimate: 1e6, atLeast: -20, atMost: 200, of: 'median' }
    const metrics = names.map((name) => ({
      of: DRY,
      metric: metric({ ...SAMPLES, name, harm, effect, verdict: 'Fail', reason: 'NoTraffic' }),
      failure: `422 ${name}`,
    }))
    expect(told(metrics).length).to.be.within(800, 1_024)
  })

  it('says that there is much more evidence than any analysis needs', () => {
    const harm = { logE: 800, needs: Math.log(80) }
    expect(of([metric({ ...SAMPLES, harm })])).to.equal('latency harm >100000 of 80')
  })
})
