import { expect } from 'chai'
import type { MetricEngine } from '../../../../common/analysis/metrics/metric-engine.ts'
import { RATE_ENGINE } from '../../../../common/analysis/metrics/rate.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'
import type { MetricRule } from '../../../../common/api/analysis/metric.ts'
import { seeded } from '../../../seeded.ts'
import { eventWindow, question } from './windows.ts'

const ERRORS: MetricRule = { tolerancePercent: 20, maxRegressionPercent: 100, acceptablePercent: 1 }
const PODS = [
  { count: 2, requests: 100 },
  { count: 6, requests: 100 },
] as const

function judgementAfter(
  windows: number,
  engine: MetricEngine,
  rule: MetricRule,
  dataOf: (random: () => number) => WindowData,
) {
  const random = seeded(5)
  let state: readonly number[] = []
  for (let window = 0; window < windows; window += 1) state = engine.fold(state, dataOf(random), rule) ?? []
  return engine.judge(state, rule, question())
}

describe('the metric of a rate', () => {
  it('finds more errors', () => {
    const found = judgementAfter(10, RATE_ENGINE, ERRORS, (random) =>
      eventWindow(PODS, (arm) => (arm === 'fork' ? 0.05 : 0.002), random),
    )
    expect(found.verdict).to.equal('Fail')
    expect(found.effect?.of).to.equal('rate')
    expect(found.effect?.estimate).to.be.above(500)
    expect(found.pods).to.include({ outer: 0 })
  })

  it('is content with a rate that is acceptable, whatever that of the source is', () => {
    const found = judgementAfter(60, RATE_ENGINE, ERRORS, (random) =>
      eventWindow(PODS, (arm) => (arm === 'fork' ? 0.005 : 0.0001), random),
    )
    expect(found.verdict).to.equal('Pass')
  })

  it('N38: holds a verdict back where one of two pods has the errors', () => {
    const found = judgementAfter(30, RATE_ENGINE, ERRORS, (random) =>
      eventWindow(PODS, (arm, pod) => (arm === 'fork' && pod === 0 ? 0.1 : 0.002), random),
    )
    expect([found.verdict, found.doPodsDiffer]).to.deep.equal(['Wait', true])
    expect(found.pods).to.deep.equal({ groups: 2, outer: 1 })
  })

  it('N38: is not content because of one bad pod of the source', () => {
    const found = judgementAfter(60, RATE_ENGINE, ERRORS, (random) =>
      eventWindow(PODS, (arm, pod) => (arm === 'fork' ? 0.04 : pod === 0 ? 0.3 : 0.02), random),
    )
    expect(found.verdict).to.equal('Wait')
  })

  it('N39: finds no harm in one burst, and no safety before there were some windows', () => {
    const burst = (windows: number, events: number) => {
      let state: readonly number[] = []
      for (let window = 0; window < windows; window += 1)
        state =
          RATE_ENGINE.fold(
            state,
            {
              is: 'events',
              treatment: [{ pod: 'a', events: window === 0 ? events : 0, exposure: 300 }],
              control: [{ pod: 'b', events: 0, exposure: 900 }],
            },
            ERRORS,
          ) ?? []
      return RATE_ENGINE.judge(state, ERRORS, question()).verdict
    }
    expect([burst(1, 50), burst(1, 0), burst(2, 0), burst(3, 0)]).to.deep.equal(['Wait', 'Wait', 'Wait', 'Pass'])
  })

  it('N44: knows that each pod always gets as many requests, however many pods there are', () => {
    let state: readonly number[] = []
    for (let window = 0; window < 120; window += 1) {
      const [count, requests] = window < 100 ? [1, 10] : [10, 100]
      const data = eventWindow(
        [
          { count, requests },
          { count: 10, requests },
        ],
        () => 0,
        seeded(1),
      )
      state = RATE_ENGINE.fold(state, data, ERRORS) ?? []
    }
    const { perPod } = RATE_ENGINE.judge(state, ERRORS, question())
    expect(perPod?.treatment).to.equal(perPod?.control)
  })

  it('finds fewer where more is better', () => {
    const rule = { ...ERRORS, acceptablePercent: 0, higherIsBetter: true }
    const window = (fork: number) => (random: () => number) =>
      eventWindow(PODS, (arm) => (arm === 'fork' ? fork : 0.2), random)
    const found = judgementAfter(20, RATE_ENGINE, rule, window(0.1))
    expect(found.verdict).to.equal('Fail')
    expect(found.samples).to.deep.equal({ treatment: 4_000, control: 12_000 })
    expect(judgementAfter(60, RATE_ENGINE, rule, window(0.2)).verdict).to.equal('Pass')
  })

  it('knows no rate that is acceptable by itself where more is better', () => {
    const rule = { ...ERRORS, acceptablePercent: 0, higherIsBetter: true }
    const judgedBy = (of: MetricRule) =>
      judgementAfter(20, RATE_ENGINE, of, (random) =>
        eventWindow(PODS, (arm) => (arm === 'fork' ? 0.001 : 0.005), random),
      )
    expect(judgedBy({ ...rule, acceptablePercent: 1 })).to.deep.equal(judgedBy(rule))
    expect(judgedBy(rule).verdict).to.equal('Fail')
    expect(judgedBy(rule).effect?.estimate).to.be.above(100)
  })

  it('has no estimate without events of the source', () => {
    const found = judgementAfter(3, RATE_ENGINE, ERRORS, (random) => eventWindow(PODS, () => 0, random))
    expect(found.effect).to.not.have.property('estimate')
  })

  it('can do nothing with other data', () =>
    expect(RATE_ENGINE.fold([], { is: 'value', treatment: 1, control: 1 }, ERRORS)).to.equal(undefined))
})
