import { expect } from 'chai'
import {
  addedUp,
  harmOfStrata,
  rememberedStrata,
  safetyOfStrata,
  strataIn,
  strataProblem,
} from '../../../../common/analysis/metrics/strata.ts'
import type { WindowData } from '../../../../common/analysis/window-data.ts'
import { LATENCY } from '../run/runs.ts'

const BY_ROUTE = { ...LATENCY, prometheus: { histogram: 'h', stratifyBy: 'route' } }
const count = (stratum: string, exposure: number) => ({ pod: 'a', stratum, events: 0, exposure })
const events = (treatment: readonly string[], control: readonly string[], exposure = 9): WindowData => ({
  is: 'events',
  treatment: treatment.map((stratum) => count(stratum, exposure)),
  control: control.map((stratum) => count(stratum, exposure)),
})
const routes = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `/${from + index}`)
const state = (strata: number) => [3, 0, strata, ...Array.from({ length: strata }, (_, index) => index)]
const of = (all: number, ...without: readonly number[]) => ({ all, without })
const TWO_PLACES = [0, 1].map((place) => ({ key: place, place, isHere: true }))

describe('the strata of a metric', () => {
  it('N44: are compared where both versions have requests of them', () => {
    const data = {
      treatment: [count('/a', 3), count('/b', 2), count('', 1), count('/d', 0)],
      control: [count('/a', 4), count('/c', 2), count('', 1), count('/d', 5)],
    }
    const found = strataIn(data, ({ exposure }) => exposure)
    expect(found.map(({ treatment, control }) => [treatment, control])).to.deep.equal([
      [[count('/a', 3)], [count('/a', 4)]],
      [[count('', 1)], [count('', 1)]],
    ])
  })

  it('N44: are at most eight over all windows, or the window is of no use', () => {
    const message = (number: number) =>
      `the label route has ${number} values, and at most 8 can be compared; choose fewer by prometheus.matchers, or name another label in stratifyBy`
    expect(strataProblem(BY_ROUTE, [], events(routes(0, 8), routes(0, 8)))).to.equal(undefined)
    expect(strataProblem(BY_ROUTE, [], events(routes(0, 8), routes(1, 9)))).to.equal(message(9))
    expect(strataProblem(BY_ROUTE, state(7), events(['/a', '/b'], ['/a']))).to.equal(message(9))
    expect(strataProblem(BY_ROUTE, state(7), events(['/a'], ['/a']))).to.equal(undefined)
    const idle = routes(1, 20).map((route) => count(route, 0))
    const busy = { ...events(['/a'], ['/a']), treatment: [count('/a', 9), ...idle], control: [count('/a', 9), ...idle] }
    expect(strataProblem(BY_ROUTE, [], busy as WindowData), 'without requests').to.equal(undefined)
    expect(strataProblem(LATENCY, [], events(routes(0, 9), routes(0, 9))), 'without strata').to.equal(undefined)
    expect(rememberedStrata(state(3))).to.deep.equal([0, 1, 2])
  })

  it('N44: must be of both versions for more than nine tenths of the requests of each', () => {
    const message = (what: string, largest: string) =>
      `${what} have values of the label route that the ${what.endsWith('fork') ? 'control' : 'fork'} has not, most of them ${largest}; let both have the same values, leave out by prometheus.matchers what only one can have, or name another label in stratifyBy`
    const problem = (treatment: readonly [string, number][], control: readonly [string, number][]) => {
      const arm = (counts: readonly [string, number][]) => counts.map(([stratum, exposure]) => count(stratum, exposure))
      return strataProblem(BY_ROUTE, [], { is: 'events', treatment: arm(treatment), control: arm(control) })
    }
    const [shared, seldom] = [['/a', 910] as [string, number], ['/x', 90] as [string, number]]
    expect(problem([shared, seldom], [shared, ['/y', 90]])).to.equal(undefined)
    expect(problem([shared, seldom, ['', 12]], [shared])).to.equal(message('10% of the requests of the fork', '"/x"'))
    expect(problem([shared, ['', 607]], [shared]), 'what has no route').to.equal(
      message('40% of the requests of the fork', '""'),
    )
    expect(problem([shared], [shared, ['/b\n', 200], ['/c', 100]])).to.equal(
      message('24% of the requests of the control', '"/b\\u000a"'),
    )
    expect(problem([shared], [['/b', 1]])).to.equal(message('100% of the requests of the fork', '"/a"'))
    expect(problem([shared, ['/x', 900]], [shared, ['/x', 0]]), 'without requests').to.match(/^49% .* "\/x";/)
    expect(strataProblem(LATENCY, [], events(['/a'], ['/b']))).to.equal(undefined)
    expect(strataProblem(BY_ROUTE, [], events(routes(0, 9), []))).to.match(/^the label route has 9/)
  })

  it('N44: add up what they show, also without each pod', () => {
    expect(addedUp([of(2, 1, 0), of(3, 3)], TWO_PLACES)).to.deep.equal(of(5, 4, 3))
    expect(addedUp([], TWO_PLACES)).to.deep.equal(of(0, 0, 0))
  })

  it('N44: show harm of all together, or of any one that others would hide', () => {
    const logs = ({ all, without }: ReturnType<typeof of>) => [all, ...without]
    const nothing = harmOfStrata(of(0, 0, 0), [of(0), of(0)], TWO_PLACES)
    for (const log of logs(nothing)) expect(log).to.be.closeTo(0, 1e-12)
    const [whole, single] = [
      harmOfStrata(of(10, 10, -50), [of(5), of(5)], TWO_PLACES),
      harmOfStrata(of(-50), [of(10, 10, -20), of(-60)], TWO_PLACES),
    ]
    expect(whole.all).to.be.closeTo(10 - Math.log(2), 0.1)
    expect(single.all).to.be.closeTo(10 - Math.log(16), 0.01)
    expect(logs(single)[2]).to.be.below(0)
  })

  it('N44: show safety each for itself, but for those with less than a tenth of what decides', () => {
    const weighed = (weight: number, ...logs: readonly [number, ...number[]]) => ({ weight, evidence: of(...logs) })
    const safety = (...strata: readonly ReturnType<typeof weighed>[]) => safetyOfStrata(strata, TWO_PLACES)
    expect(safety(weighed(50, 6, 5, 4), weighed(50, 3))).to.deep.equal(of(3, 3, 3))
    expect(safety(weighed(91, 6, 5, 4), weighed(9, -7))).to.deep.equal(of(6, 5, 4))
    expect(safety(weighed(90, 6, 5, 4), weighed(10, -7))).to.deep.equal(of(-7, -7, -7))
    expect(safety(weighed(90, 6, 5, 4), weighed(0, 0)), 'one that says nothing').to.deep.equal(of(6, 5, 4))
    expect(safety(weighed(0, 9))).to.deep.equal(of(0, 0, 0))
  })

  it('N44: show safety only with what must be safe beside them', () => {
    const safety = (weight: number, other: ReturnType<typeof of>) =>
      safetyOfStrata([{ weight, evidence: of(6, 5, 4) }], TWO_PLACES, [other])
    expect(safety(9, of(5.5, 7, 1))).to.deep.equal(of(5.5, 5, 1))
    expect(safety(0, of(9)), 'alone it shows nothing').to.deep.equal(of(0, 0, 0))
  })
})
