import { expect } from 'chai'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import {
  armsTraffic,
  type CountedLatency,
  isTooEarly,
  type PowerInput,
  plannedTraffic,
  powerOf,
  sharedTraffic,
} from '../../../../common/analysis/run/power.ts'
import { seeded } from '../../../seeded.ts'
import { sampleWindow } from '../metrics/windows.ts'
import {
  ARMS,
  aPod,
  aPoll,
  aRun,
  at,
  CREATED_MS,
  ERRORS,
  LATENCY,
  lookedAt,
  lookedThrough,
  statusOf,
  TIMES,
  window,
} from './runs.ts'

const point = { at: at(0), harm: 0, safe: 0 }

/** 20 requests in each second, of which the fork has 8 %, after 100 seconds. */
const LATE: CountedLatency = {
  counted: {
    ...{ name: 'latency', verdict: 'Wait', reason: 'Measuring', since: at(0), windowEnd: at(100) },
    samples: { treatment: 160, control: 1_840 },
    trace: [point, point, point],
  },
  spread: 1,
  startedMs: CREATED_MS,
}
const TRAFFIC = { requestsPerSecond: 20, share: 0.08, spread: 1 }
const OF: PowerInput = {
  metric: LATENCY,
  traffic: TRAFFIC,
  pods: 1,
  times: { intervalSeconds: 30, maxSeconds: 600 },
  question: { alpha: 0.025, metrics: 1 },
}
const of = (more: Partial<PowerInput> = {}) => powerOf({ ...OF, ...more })
const counted = (more: Partial<CountedLatency['counted']>) =>
  armsTraffic({ ...LATE, counted: { ...LATE.counted, ...more } })

describe('what a run can show', () => {
  it('N38: is less with two pods, of which one may not decide, and more again with many', () => {
    const [one = 0, two = 0, eight = 0] = [1, 2, 8].map((pods) => of({ pods })?.percent)
    expect(two).to.be.above(1.2 * one)
    expect(eight).to.be.within(one, 1.1 * one)
  })

  it('N44: is less with many pods of a metric with strata, of which a fourth may not decide', () => {
    const metric = { ...OF.metric, prometheus: { histogram: 'h', stratifyBy: 'route' } }
    const [whole = 0, stratified = 0] = [of({ pods: 8 })?.percent, of({ pods: 8, metric })?.percent]
    expect(stratified).to.be.above(whole)
    expect(of({ pods: 4, metric })).to.deep.equal(of({ pods: 4 }))
  })

  it('N38: is by the requests since windows count', () => {
    const memory = { version: 2, numbers: [], since: at(50) }
    expect(counted({ memory })?.requestsPerSecond).to.equal(40)
  })
})

describe('the traffic of an analysis run', () => {
  it('is that of both arms, with the share of the fork', () => expect(armsTraffic(LATE)).to.deep.equal(TRAFFIC))

  it('is told without a spread where none is known', () =>
    expect(armsTraffic({ ...LATE, spread: undefined })).to.deep.equal({ requestsPerSecond: 20, share: 0.08 }))

  it('tells what a run can show after three windows', () => {
    const { trace: _none, ...none } = LATE.counted
    expect([none, { ...none, trace: [point, point] }, LATE.counted].map(isTooEarly)).to.deep.equal([true, true, false])
  })

  it('is not known without requests, or without a time', () => {
    const { samples: _samples, windowEnd: _end, ...none } = LATE.counted
    expect(armsTraffic({ ...LATE, counted: none })).to.equal(undefined)
    expect(counted({ samples: { treatment: 0, control: 0 } })).to.equal(undefined)
    expect(armsTraffic({ ...LATE, startedMs: CREATED_MS + 100_000 })).to.equal(undefined)
  })

  it('is kept with three digits', () =>
    expect(sharedTraffic({ requestsPerSecond: 20.0567, spread: 0.51239 }, ARMS)).to.deep.equal({
      ...{ requestsPerSecond: 20.1, spread: 0.512 },
    }))

  it('has that of the source beside a twin, by the pods that are ready', () => {
    const { readySinceMs: _since, ...waiting } = aPod('cart-9')
    const source = [...['cart-1', 'cart-2', 'cart-3', 'cart-4'].map((name) => aPod(name)), waiting]
    expect(sharedTraffic({ requestsPerSecond: 10 }, { ...ARMS, source })).to.deep.equal({ requestsPerSecond: 20 })
    expect(sharedTraffic({ requestsPerSecond: 10 }, { treatment: [], control: [] }).requestsPerSecond).to.equal(10)
  })
})

describe('the traffic of an experiment that is planned', () => {
  const RUN = { requestsPerSecond: 20, spread: 0.5 }

  it('is all that the source has, of which the fork gets its share', () =>
    expect(plannedTraffic(RUN, { treatment: 2, control: 6, isTwin: false })).to.deep.equal({
      pods: 8,
      compared: { ...RUN, share: 0.25 },
    }))

  it('is that of fork and twin, beside the source', () =>
    expect(plannedTraffic(RUN, { treatment: 2, control: 6, isTwin: true })).to.deep.equal({
      pods: 10,
      compared: { requestsPerSecond: 8, spread: 0.5, share: 0.5 },
    }))
})

describe('the power of an analysis run', () => {
  it('is +27 % in ten minutes at 20 requests/s with 8 % for the fork', () =>
    expect(of()).to.deep.equal({ percent: 27, withinSeconds: 600 }))

  it('is about an hour where the analysis has no end', () => {
    const hour = of({ times: { intervalSeconds: 30 } })
    expect(hour?.withinSeconds).to.equal(3_600)
    expect(hour?.percent).to.be.below(27)
  })

  it('depends on the spread of times and on the share of α', () => {
    const { spread: _spread, ...unknown } = TRAFFIC
    expect(of({ traffic: unknown })).to.deep.equal(of())
    expect(of({ traffic: { ...TRAFFIC, spread: 0.5 } })?.percent).to.be.below(27)
    expect(of({ question: { alpha: 0.025, metrics: 4 } })?.percent).to.be.above(27)
  })

  it('is none where no slowdown would show, or only the source has requests', () => {
    expect(of({ traffic: { requestsPerSecond: 0.02, share: 0.5 } })).to.equal(undefined)
    expect(of({ traffic: { ...TRAFFIC, share: 0 } })).to.equal(undefined)
  })
})

describe('a run', () => {
  const random = seeded(3)
  const answers = Array.from({ length: 4 }, (): WindowAnswer => {
    const pods = { count: 2, requests: 20, slowness: () => 1 }
    return { is: 'data', data: sampleWindow(pods, { ...pods, count: 4 }, random) }
  })
  const run = aRun({ metrics: [{ ...LATENCY, name: 'told', dryRun: true }, ERRORS, LATENCY] })
  const runAfter = (windows: number) => lookedThrough(run, answers.slice(0, windows), 'latency')

  it('tells its power after the third window of its first Latency metric that counts', () => {
    expect(statusOf(runAfter(2))).to.not.have.property('power')
    expect(statusOf(runAfter(1)).traffic?.requestsPerSecond).to.equal(12)
    expect(statusOf(runAfter(3)).power?.percent).to.be.within(10, 30)
    // 6 pods, 20 requests of each in a window of 10 seconds
    expect(statusOf(runAfter(3)).traffic?.requestsPerSecond).to.equal(12)
    expect(statusOf(runAfter(3)).traffic?.spread).to.be.within(0.3, 0.7)
    expect(statusOf(lookedThrough(run, answers, 'told'))).to.not.have.property('power')
  })

  it('tells it by the spread of the times, which is a half here', () => {
    const { metrics = [], power } = statusOf(runAfter(4))
    const latency = metrics.find(({ name }) => name === 'latency')
    if (!latency) throw new Error('there is no metric')
    const by = (spread: number) => {
      const found = armsTraffic({ counted: latency, spread, startedMs: CREATED_MS })
      return found && powerOf({ ...OF, traffic: found, times: TIMES, question: { alpha: 0.025, metrics: 2 } })?.percent
    }
    expect(power?.percent).to.be.within(by(0.4) ?? 0, by(0.6) ?? 0)
  })

  it('keeps its power at looks without a window of that metric', () => {
    const third = runAfter(3)
    const later = lookedAt(third, aPoll(50, [window({ is: 'failed', message: '503' }, 30, 50, { metric: 'latency' })]))
    expect(statusOf(later).power).to.deep.equal(statusOf(third).power)
    expect(statusOf(later).traffic).to.deep.equal(statusOf(third).traffic)
  })
})
