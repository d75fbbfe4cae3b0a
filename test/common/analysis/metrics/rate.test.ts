import { expect } from 'chai'
import { seeded } from '../../../../common/analysis/engine/random.ts'
import type { MetricEngine } from '../../../../common/analysis/metrics/metric-engine.ts'
import { HEALTH_ENGINE, RATE_ENGINE } from '../../../../common/analysis/metrics/rate.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'
import type { MetricRule } from '../../../../common/api/analysis/metric.ts'
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

  it('holds a verdict back where pods of the source are as bad', () => {
    const rateOf = (arm: string, pod: number) => (arm === 'fork' || pod < 2 ? 0.08 : 0.001)
    const found = judgementAfter(10, RATE_ENGINE, ERRORS, (random) =>
      eventWindow(PODS, (arm, pod) => rateOf(arm, pod) + (arm === 'source' && pod < 2 ? 0.03 : 0), random),
    )
    expect([found.verdict, found.doPodsDiffer]).to.deep.equal(['Wait', true])
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

describe('the metric of health', () => {
  const health = (events: number): WindowData => ({
    is: 'events',
    treatment: [{ pod: 'fork-0', events, exposure: 30 }],
    control: Array.from({ length: 4 }, (_, pod) => ({ pod: `source-${pod}`, events: 0, exposure: 30 })),
  })

  it('passes after 300 seconds without a restart, which begin again with each', () => {
    const verdictAfter = (restarts: readonly number[]) => {
      const state = restarts.reduce<readonly number[]>(
        (former, events) => HEALTH_ENGINE.fold(former, health(events), {}) ?? [],
        [],
      )
      return HEALTH_ENGINE.judge(state, {}, question()).verdict
    }
    const quiet = (windows: number) => Array.from({ length: windows }, () => 0)
    expect(verdictAfter(quiet(9))).to.equal('Wait')
    expect(verdictAfter(quiet(10))).to.equal('Pass')
    expect(verdictAfter([...quiet(9), 1, ...quiet(9)])).to.equal('Wait')
  })

  it('fails where only the fork restarts', () =>
    expect(judgementAfter(6, HEALTH_ENGINE, {}, () => health(1)).verdict).to.equal('Fail'))
})
