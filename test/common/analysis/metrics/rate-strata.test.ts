import { expect } from 'chai'
import type { MetricEngine } from '../../../../common/analysis/metrics/metric-engine.ts'
import { RATE_ENGINE } from '../../../../common/analysis/metrics/rate.ts'
import { STRATIFIED_RATE } from '../../../../common/analysis/metrics/rate-strata.ts'
import type { Arm, WindowData } from '../../../../common/analysis/window-data.ts'
import type { MetricRule } from '../../../../common/api/analysis/metric.ts'
import { question } from './windows.ts'

const RULE: MetricRule = { tolerancePercent: 20, maxRegressionPercent: 100, acceptablePercent: 1 }

/** Requests of a pod of each arm in a window, and which part of them are events. */
interface Route {
  readonly each: Readonly<Record<Arm, number>>
  readonly rate: (arm: Arm, pod: number) => number
}
type Routes = Readonly<Record<string, Route>>

const PODS = { treatment: 2, control: 4 }
const both = (each: number) => ({ treatment: each, control: each })
const rates = (own: number, others: number) => (arm: Arm) => (arm === 'treatment' ? own : others)

function windowOf(routes: Routes): WindowData {
  const arm = (name: Arm) =>
    Object.entries(routes).flatMap(([stratum, { each, rate }]) =>
      Array.from({ length: PODS[name] }, (_, pod) => ({
        ...{ pod: `${name}-${pod}`, stratum, exposure: each[name] },
        events: Math.round(rate(name, pod) * each[name]),
      })),
    )
  return { is: 'events', treatment: arm('treatment'), control: arm('control') }
}

function judgedAfter(windows: number, routes: Routes, rule = RULE, engine: MetricEngine = STRATIFIED_RATE) {
  let state: readonly number[] = []
  for (let window = 0; window < windows; window += 1) state = engine.fold(state, windowOf(routes), rule) ?? state
  return engine.judge(state, rule, question())
}

/** Equal versions, of which one gets mostly the requests that fail often. */
const MIXED: Routes = {
  '/steady': { each: { treatment: 100, control: 900 }, rate: () => 0.01 },
  '/flaky': { each: { treatment: 900, control: 100 }, rate: () => 0.1 },
}

describe('rates, stratum by stratum', () => {
  it('N44: do not fail where the versions are equal, and only their routes are not', () => {
    expect(judgedAfter(20, MIXED, RULE, RATE_ENGINE).verdict, 'all together').to.equal('Fail')
    const { verdict, samples, effect } = judgedAfter(20, MIXED)
    expect([verdict, samples]).to.deep.equal(['Pass', { treatment: 40_000, control: 80_000 }])
    expect(effect?.estimate).to.be.closeTo(0, 1e-9)
  })

  it('N44: fail with harm in all, and with harm in one of eight', () => {
    const of = (own: number) => ({ each: both(100), rate: rates(own, 0.02) })
    expect(judgedAfter(15, { '/a': of(0.1), '/b': of(0.1) }).verdict).to.equal('Fail')
    const others = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`/${index}`, of(0.02)]))
    expect(judgedAfter(20, { '/a': of(0.3), ...others }).verdict).to.equal('Fail')
  })

  it('N44: take errors that come in several of them at once for one cluster', () => {
    const of = { each: both(100), rate: rates(0.08, 0.02) }
    const eight = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`/${index}`, of]))
    const [one, all] = [judgedAfter(5, { '/a': of }), judgedAfter(5, eight)]
    expect(all.harm?.logE).to.be.closeTo(one.harm?.logE ?? 0, 0.5)
  })

  it('N44: do not pass where one of them is at the limit, however good the others are', () => {
    const good = { each: both(900), rate: rates(0.02, 0.02) }
    expect(judgedAfter(30, { '/good': good, '/other': good }).verdict).to.equal('Pass')
    expect(
      judgedAfter(30, { '/good': good, '/bad': { each: both(200), rate: rates(0.06, 0.03) } }).verdict,
    ).to.not.equal('Pass')
  })

  it('N44: pass where one of them has no events', () => {
    const good = { each: both(500), rate: rates(0.02, 0.02) }
    const rule = { ...RULE, acceptablePercent: 0 }
    expect(judgedAfter(30, { '/good': good, '/ready': { each: both(500), rate: () => 0 } }, rule).verdict).to.equal(
      'Pass',
    )
    expect(judgedAfter(30, { '/ready': { each: both(500), rate: () => 0 } }).verdict).to.equal('Pass')
  })

  it('N44: do not pass where events are too many that have a label of the fork alone', () => {
    const cart = { each: both(300), rate: rates(0, 0.002) }
    const lost = (requests: number): Routes => ({
      '/cart': cart,
      '': { each: { treatment: requests, control: 0 }, rate: () => 1 },
    })
    expect(judgedAfter(30, { '/cart': cart }).verdict).to.equal('Pass')
    expect(judgedAfter(30, lost(1)).verdict, 'fewer than is acceptable').to.equal('Pass')
    for (const requests of [4, 9, 16, 29]) expect(judgedAfter(30, lost(requests)).verdict).to.equal('Wait')
    for (const requests of [4, 29])
      expect(judgedAfter(30, lost(requests), { ...RULE, acceptablePercent: 0 }).verdict).to.equal('Wait')
  })

  it('N44: pass where few requests have a label of one version alone', () => {
    const rule = { ...RULE, acceptablePercent: 0 }
    const good = { each: both(300), rate: rates(0.02, 0.02) }
    const alone = (arm: Arm) => ({ each: { ...both(0), [arm]: 25 }, rate: rates(0.04, 0.04) })
    expect(judgedAfter(30, { '/a': good, '/fork': alone('treatment'), '/other': alone('control') }, rule).verdict)
      .to //
      .equal('Pass')
  })

  it('N44: count events with a label of the fork alone towards what is acceptable', () => {
    const route = { each: both(300), rate: rates(0.0067, 0) }
    const rule = { ...RULE, acceptablePercent: 1.5 }
    expect(judgedAfter(60, { '/a': route }, rule).verdict).to.equal('Pass')
    const lost = { each: { treatment: 30, control: 0 }, rate: () => 1 }
    expect(judgedAfter(60, { '/a': route, '': lost }, rule).verdict).to.equal('Fail')
  })

  it('N44: go on where an earlier version has not counted what only the fork has', () => {
    const after = (windows: number) => {
      let state: readonly number[] = []
      for (let window = 0; window < windows; window += 1)
        state = STRATIFIED_RATE.fold(state, windowOf(MIXED), RULE) ?? state
      return state
    }
    const [all, bets] = [after(20), 7 * (1 + PODS.control)]
    const former = all.slice(0, all.length - bets - 7 - 3)
    expect(STRATIFIED_RATE.judge(former, RULE, question()).harm).to.deep.equal(
      STRATIFIED_RATE.judge(all, RULE, question()).harm,
    )
    expect(STRATIFIED_RATE.judge(former, RULE, question()).verdict).to.equal('Wait')
    const next = STRATIFIED_RATE.fold(former, windowOf(MIXED), RULE) ?? []
    expect(next.length).to.equal(all.length)
    expect(STRATIFIED_RATE.judge(next, RULE, question()).verdict).to.equal('Pass')
  })

  it('N44: leave out the same pod in all of them', () => {
    const of = { each: both(100), rate: (arm: Arm, pod: number) => (arm === 'treatment' && pod === 0 ? 0.3 : 0.02) }
    expect(judgedAfter(20, { '/a': of, '/b': of })).to.deep.include({ verdict: 'Wait', doPodsDiffer: true })
  })

  it('N38: are judged as if an idle pod were not there', () => {
    const data = windowOf(MIXED)
    if (data.is !== 'events') throw new Error('they are events')
    const idle = { pod: 'standby', stratum: '/flaky', events: 0, exposure: 0 }
    const more = { ...data, treatment: [...data.treatment, idle], control: [idle, ...data.control] }
    for (const engine of [RATE_ENGINE, STRATIFIED_RATE])
      expect(engine.fold([], more, RULE)).to.deep.equal(engine.fold([], data, RULE))
  })

  it('N39: allow the treatment its usual requests in a window with fewer, stratum by stratum', () => {
    const usual = { each: both(100), rate: () => 0.02 }
    const outage = windowOf({ '/a': usual, '/b': usual })
    if (outage.is !== 'events') throw new Error('they are events')
    const failed = { ...outage.treatment[0], events: 10, exposure: 10 }
    const harmOf = (engine: MetricEngine, exposure: number) => {
      const treatment = [{ ...failed, exposure }, ...outage.treatment.slice(1)]
      const state = engine.fold([], windowOf({ '/a': usual, '/b': usual }), RULE) ?? []
      return engine.judge(engine.fold(state, { ...outage, treatment }, RULE) ?? [], RULE, question()).harm
    }
    for (const engine of [RATE_ENGINE, STRATIFIED_RATE]) expect(harmOf(engine, 10)).to.deep.equal(harmOf(engine, 100))
  })

  it('N44: may be of what is good', () => {
    const rule = { tolerancePercent: 5, maxRegressionPercent: 20, acceptablePercent: 0, higherIsBetter: true }
    const of = (own: number) => ({ each: both(200), rate: rates(own, 0.8) })
    expect(judgedAfter(20, { '/a': of(0.8), '/b': of(0.8) }, rule).verdict).to.equal('Pass')
    const bad = judgedAfter(20, { '/a': of(0.5), '/b': of(0.5) }, rule)
    expect([bad.verdict, bad.samples]).to.deep.equal(['Fail', { treatment: 16_000, control: 32_000 }])
  })

  it('N44: are at most eight, and of events', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`/${index}`, MIXED['/flaky'] as Route]))
    expect(STRATIFIED_RATE.fold([], windowOf(many), RULE)).to.equal(undefined)
    expect(STRATIFIED_RATE.fold([], { is: 'value', treatment: 1, control: 1 }, RULE)).to.equal(undefined)
    expect(STRATIFIED_RATE.judge([], RULE, question()).verdict).to.equal('Wait')
  })
})
