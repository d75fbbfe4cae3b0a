import { expect } from 'chai'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { memoryOf } from '../../../../common/analysis/run/memory.ts'
import { aPoll, aRun, ERRORS, lookedAt, lookedThrough, metricOf, statusOf, window } from './runs.ts'

const BY_ROUTE = { ...ERRORS, prometheus: { events: 'e', total: 't', stratifyBy: 'route' } }
const run = aRun({ metrics: [BY_ROUTE] })

/** Events of two pods of the fork, which get far more requests, and of six of its source, by routes. */
function answer(routes: readonly string[], own: number, others: readonly string[] = routes): WindowAnswer {
  const arm = (word: string, pods: number, of: readonly string[], events: number, exposure: number) =>
    Array.from({ length: pods }, (_, pod) =>
      of.map((stratum) => ({ ...{ pod: `${word}-${pod}`, stratum }, ...{ events, exposure } })),
    ).flat()
  const arms = { treatment: arm('fork', 2, routes, own, 200), control: arm('cart', 6, others, 1, 60) }
  return { is: 'data', data: { is: 'events', ...arms } }
}
const routes = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`)

describe('a window with strata', () => {
  it('N44: is not held back where the pods of the versions get unequal requests', () => {
    const after = lookedThrough(run, Array(20).fill(answer(['/a', '/b'], 50)))
    expect(metricOf(after)).to.deep.include({ verdict: 'Fail', reason: 'HarmFound' })
    const { treatment = 0, control = 0 } = metricOf(after).samples ?? {}
    expect(treatment / control).to.equal(800 / 720)
  })

  it('N44: is remembered under a version of its own, which a metric without strata never reads', () => {
    const metric = metricOf(lookedThrough(run, [answer(['/a'], 1)]))
    expect(metric.memory?.version).to.equal(3)
    expect(memoryOf(metric, BY_ROUTE).length).to.be.above(0)
    expect(memoryOf(metric, ERRORS)).to.deep.equal([])
    const former = metricOf(lookedThrough(aRun(), [answer(['/a'], 1)]))
    expect(former.memory?.version).to.equal(2)
    expect(memoryOf(former, BY_ROUTE)).to.deep.equal([])
  })

  it('N44: is of no use with a ninth stratum, also one that an earlier window had not', () => {
    const ninth = lookedThrough(run, [answer(routes(9), 1)])
    expect(metricOf(ninth)).to.deep.include({ reason: 'ProviderFailed' })
    expect(statusOf(ninth).windows).to.deep.include({ counted: 0, unusable: 1 })
    expect(statusOf(ninth).message).to.contain('the label route has 9 values, and at most 8 can be compared')
    const eight = lookedThrough(run, [answer(routes(8), 1)])
    expect(statusOf(eight).windows).to.deep.include({ counted: 1 })
    const later = lookedAt(eight, aPoll(20, [window(answer(['/other'], 1), 10, 20)]))
    expect(statusOf(later).message).to.contain('the label route has 9 values')
    const again = lookedAt(later, aPoll(30, [window(answer(['/0', '/7'], 1), 10, 30)]))
    expect(statusOf(again).windows).to.deep.include({ counted: 2, unusable: 1 })
  })

  it('N44: is of no use if a tenth of the requests of a version is in strata that the other has not', () => {
    expect(statusOf(lookedThrough(run, [answer(['/a'], 1, ['/b'])])).message).to.contain(
      '100% of the requests of the fork have values of the label route that the control has not, most of them "/a"',
    )
    expect(statusOf(lookedThrough(run, [answer(['/a', ''], 9, ['/a'])])).windows).to.deep.include({ unusable: 1 })
  })
})
