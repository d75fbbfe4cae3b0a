import { expect } from 'chai'
import { boundariesOf, LATENCY, STRATIFIED_LATENCY } from '../../../../common/analysis/metrics/latency.ts'
import type { MetricEngine } from '../../../../common/analysis/metrics/metric-engine.ts'
import type { Arm, WindowData } from '../../../../common/analysis/window-data.ts'
import { seeded } from '../../../seeded.ts'
import { asCoarse, BOUNDARIES, normal, question } from './windows.ts'

const RULE = { tolerancePercent: 10, maxRegressionPercent: 25 }

/** A route: the median of its times, and how many requests a pod of each arm has of it in a window. */
interface Route {
  readonly median: number
  readonly each: Readonly<Record<Arm, number>>
  /** how many times as slow it is */
  readonly slowness?: (arm: Arm, pod: number) => number
}
type Routes = Readonly<Record<string, Route>>

const PODS = { treatment: 2, control: 4 }
const both = (each: number) => ({ treatment: each, control: each })

/** A window of routes, in buckets. */
function windowOf(routes: Routes, random: () => number): WindowData {
  const arm = (name: Arm) =>
    Object.entries(routes).flatMap(([stratum, { median, each, slowness = () => 1 }]) =>
      Array.from({ length: PODS[name] }, (_, pod) => ({
        ...{ pod: `${name}-${pod}`, stratum },
        values: Array.from({ length: each[name] }, () => median * slowness(name, pod) * Math.exp(0.5 * normal(random))),
      })),
    )
  return asCoarse({ is: 'samples', treatment: arm('treatment'), control: arm('control') })
}

function judgedAfter(windows: number, routes: Routes, engine: MetricEngine = STRATIFIED_LATENCY) {
  const random = seeded(7)
  let state: readonly number[] = []
  for (let window = 0; window < windows; window += 1)
    state = engine.fold(state, windowOf(routes, random), RULE) ?? state
  return { state, ...engine.judge(state, RULE, question()) }
}

/** Of equal versions. Pods of one get mostly fast requests, and those of the other mostly slow ones. */
const MIXED: Routes = {
  '/fast': { median: 0.02, each: { treatment: 20, control: 60 } },
  '/slow': { median: 0.2, each: { treatment: 60, control: 20 } },
}
const slower = (factor: number) => (arm: Arm) => (arm === 'treatment' ? factor : 1)

describe('latency, stratum by stratum', () => {
  it('N44: does not fail where the versions are equal, and only their routes are not', () => {
    expect(judgedAfter(10, MIXED, LATENCY).verdict, 'all together').to.equal('Fail')
    const found = judgedAfter(60, MIXED)
    expect(found.verdict).to.equal('Pass')
    expect(found.samples).to.deep.equal({ treatment: 60 * 2 * 80, control: 60 * 4 * 80 })
    expect(found.effect?.estimate).to.be.within(-5, 5)
    expect(found.effect).to.include.keys('atLeast', 'atMost')
  })

  it('N44: fails with harm in all, and with harm in one of them', () => {
    const all = Object.fromEntries(
      Object.entries(MIXED).map(([route, of]) => [route, { ...of, slowness: slower(1.5) }]),
    )
    expect(judgedAfter(10, all).verdict).to.equal('Fail')
    const [fast, slow] = [MIXED['/fast'] as Route, MIXED['/slow'] as Route]
    expect(
      judgedAfter(12, { '/fast': { ...fast, each: both(60), slowness: slower(2) }, '/slow': slow }).verdict,
    ).to.equal('Fail')
  })

  it('N44: does not pass where one of them is at the limit, however good the others are', () => {
    const limit = { median: 0.05, each: both(30), slowness: slower(1.25) }
    const { verdict, safe } = judgedAfter(40, { '/limit': limit, '/good': { median: 0.2, each: both(90) } })
    expect(verdict).to.not.equal('Pass')
    expect(safe.find(({ part }) => part === 'body')?.logE).to.be.below(1)
  })

  it('N44: passes where all requests of one are in a single bucket, which says nothing', () =>
    expect(
      judgedAfter(60, { '/cart': { median: 0.05, each: both(60) }, '/ready': { median: 0.001, each: both(20) } })
        .verdict,
    ).to.equal('Pass'))

  it('N44: leaves out the same pod in all of them', () => {
    const slowness = (arm: Arm, pod: number) => (arm === 'treatment' && pod === 0 ? 3 : 1)
    const of = (median: number) => ({ median, each: both(60), slowness })
    expect(judgedAfter(12, { '/a': of(0.05), '/b': of(0.2) })).to.deep.include({
      ...{ verdict: 'Wait', doPodsDiffer: true },
      pods: { groups: 2, outer: 1 },
    })
  })

  it('N44: makes no bet in a window in which only one version has requests of one', () => {
    const data = windowOf({ '/a': { median: 0.05, each: both(60) } }, seeded(1))
    const alone = windowOf({ '/b': { median: 0.05, each: both(60) } }, seeded(2))
    if (data.is !== 'coarse' || alone.is !== 'coarse') throw new Error('both are coarse')
    const more = { ...data, treatment: [...data.treatment, ...alone.treatment] }
    expect(STRATIFIED_LATENCY.fold([], more, RULE)).to.deep.equal(STRATIFIED_LATENCY.fold([], data, RULE))
  })

  it('N38: judges as if an idle pod were not there', () => {
    const data = windowOf(MIXED, seeded(1))
    if (data.is !== 'coarse') throw new Error('it is coarse')
    const idle = { pod: 'standby', stratum: '/fast', exceeding: BOUNDARIES.map(() => 0), total: 0 }
    const more = { ...data, treatment: [...data.treatment, idle], control: [idle, ...data.control] }
    expect(STRATIFIED_LATENCY.fold([], more, RULE)).to.deep.equal(STRATIFIED_LATENCY.fold([], data, RULE))
  })

  it('N44: has buckets, the same in all windows, and at most eight strata', () => {
    const { state } = judgedAfter(1, MIXED)
    expect(boundariesOf(state)).to.deep.equal(BOUNDARIES)
    const others: WindowData = { is: 'coarse', boundaries: [1], treatment: [], control: [] }
    expect(STRATIFIED_LATENCY.fold(state, others, RULE)).to.equal(undefined)
    expect(STRATIFIED_LATENCY.fold(state, { is: 'fine', ratio: 2, treatment: [], control: [] }, RULE)).to.equal(
      undefined,
    )
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`/${index}`, MIXED['/fast'] as Route]))
    expect(STRATIFIED_LATENCY.fold(state, windowOf(many, seeded(1)), RULE)).to.equal(undefined)
    expect(STRATIFIED_LATENCY.judge([], RULE, question()).verdict).to.equal('Wait')
  })
})
