import { expect } from 'chai'
import { seeded } from '../../../../common/analysis/engine/random.ts'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { type PowerOf, powerOf } from '../../../../common/analysis/run/power.ts'
import { sampleWindow } from '../metrics/windows.ts'
import { aPoll, aRun, CREATED_MS, ERRORS, LATENCY, lookedAt, lookedThrough, statusOf, TIMES, window } from './runs.ts'

const at = (seconds: number) => new Date(CREATED_MS + 1_000 * seconds).toISOString()
const point = { at: at(0), harm: 0, safe: 0 }

/** 20 requests in each second, of which the fork has 8 %, after 100 seconds. */
const OF: PowerOf = {
  metric: LATENCY,
  counted: {
    ...{ name: 'latency', verdict: 'Wait', reason: 'Measuring', since: at(0), windowEnd: at(100) },
    samples: { treatment: 160, control: 1_840 },
    trace: [point, point, point],
  },
  spread: 1,
  startedMs: CREATED_MS,
  times: { intervalSeconds: 30, maxSeconds: 600 },
  question: { alpha: 0.025, metrics: 1 },
}
const of = (more: Partial<PowerOf> = {}) => powerOf({ ...OF, ...more })
const counted = (more: Partial<PowerOf['counted']>) => of({ counted: { ...OF.counted, ...more } })

describe('the power of an analysis run', () => {
  it('is that of section 4.7: +27 % in ten minutes', () =>
    expect(of()).to.deep.equal({ percent: 27, withinSeconds: 600 }))

  it('is about an hour where the analysis has no end', () => {
    const hour = of({ times: { intervalSeconds: 30 } })
    expect(hour?.withinSeconds).to.equal(3_600)
    expect(hour?.percent).to.be.below(27)
  })

  it('depends on the spread of times and on the share of α', () => {
    expect(of({ spread: undefined })).to.deep.equal(of())
    expect(of({ spread: 0.5 })?.percent).to.be.below(27)
    expect(of({ question: { alpha: 0.025, metrics: 4 } })?.percent).to.be.above(27)
  })

  it('is not known before the third window', () => {
    const { trace: _none, ...none } = OF.counted
    expect(counted({ trace: [point, point] })).to.equal(undefined)
    expect(of({ counted: none })).to.equal(undefined)
  })

  it('is not known without requests, or without a time', () => {
    const { samples: _samples, windowEnd: _end, ...none } = OF.counted
    expect(of({ counted: none })).to.equal(undefined)
    expect(counted({ samples: { treatment: 0, control: 0 } })).to.equal(undefined)
    expect(of({ startedMs: CREATED_MS + 100_000 })).to.equal(undefined)
  })

  it('is none where no slowdown would show, or only the source has requests', () => {
    expect(counted({ samples: { treatment: 1, control: 1 } })).to.equal(undefined)
    expect(counted({ samples: { treatment: 0, control: 1_840 } })).to.equal(undefined)
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
    expect(statusOf(runAfter(3)).power?.percent).to.be.within(10, 30)
    expect(statusOf(lookedThrough(run, answers, 'told'))).to.not.have.property('power')
  })

  it('tells it by the spread of the times, which is a half here', () => {
    const { metrics = [], power } = statusOf(runAfter(4))
    const latency = metrics.find(({ name }) => name === 'latency')
    if (!latency) throw new Error('there is no metric')
    const by = (spread: number) =>
      powerOf({
        ...{ metric: LATENCY, counted: latency, spread, startedMs: CREATED_MS, times: TIMES },
        question: { alpha: 0.025, metrics: 2 },
      })?.percent
    expect(power?.percent).to.be.within(by(0.4) ?? 0, by(0.6) ?? 0)
  })

  it('keeps its power at looks without a window of that metric', () => {
    const third = runAfter(3)
    const later = lookedAt(third, aPoll(50, [window({ is: 'failed', message: '503' }, 30, 50, { metric: 'latency' })]))
    expect(statusOf(later).power).to.deep.equal(statusOf(third).power)
  })
})
