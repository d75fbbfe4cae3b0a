import { expect } from 'chai'
import fc from 'fast-check'
import { type CounterSeries, eventPods, eventsAnswer } from '../../../../common/analysis/query/events.ts'
import type { PrometheusSeries } from '../../../../common/analysis/query/series.ts'
import { LAW } from '../../../property.ts'
import { counter } from './some-series.ts'

const ARMS = { treatment: { workload: 'x', pods: ['a'] }, control: { workload: 'y', pods: ['c', 'd'] } }
const QUIET: CounterSeries = { events: [], total: [counter('total', 'c', [0, 0]), counter('total', 'd', [0, 0])] }
const answer = (events: readonly PrometheusSeries[], total: readonly PrometheusSeries[], control = QUIET) =>
  eventsAnswer({ treatment: { events, total }, control }, { arms: ARMS })
const treatmentOf = (events: readonly PrometheusSeries[], total: readonly PrometheusSeries[]) => {
  const found = answer(events, total)
  return found.is === 'data' && found.data.is === 'events' ? found.data.treatment : found
}

describe('the events of a window', () => {
  it('are counted pod by pod, over all series', () => {
    const codes = [counter('events', 'a', [1, 3], { code: '500' }), counter('events', 'a', [0, 5], { code: '503' })]
    const totals = [counter('total', 'a', [10, 30], { code: '200' }), counter('total', 'a', [1, 8], { code: '500' })]
    expect(answer(codes, totals)).to.deep.equal({
      is: 'data',
      data: {
        is: 'events',
        treatment: [{ pod: 'a', events: 7, exposure: 27 }],
        control: [
          { pod: 'c', events: 0, exposure: 0 },
          { pod: 'd', events: 0, exposure: 0 },
        ],
      },
    })
  })

  it('N44: are told apart by the label of the strata, which the total must have, too', () => {
    const total = [
      counter('total', 'a', [10, 30], { route: '/cart' }),
      counter('total', 'a', [0, 5], { route: '/ready' }),
      counter('total', 'a', [0, 2]),
    ]
    const events = [counter('events', 'a', [1, 3], { route: '/cart' }), counter('events', 'a', [0, 1])]
    const found = eventPods({ events, total }, 'route')
    expect(found.is === 'pods' && [...found.pods]).to.deep.equal([
      [
        'a',
        [
          { pod: 'a', stratum: '/cart', events: 2, exposure: 20 },
          { pod: 'a', stratum: '/ready', events: 0, exposure: 5 },
          { pod: 'a', stratum: '', events: 1, exposure: 2 },
        ],
      ],
    ])
    const message =
      'events have a value of the label route that total does not have; name a label of both in stratifyBy, or remove it'
    expect(eventPods({ events, total: total.slice(0, 2) }, 'route')).to.deep.equal({ is: 'failed', message })
    const quiet = [counter('events', 'a', [4, 4], { route: '/old' })]
    expect(eventPods({ events: quiet, total }, 'route').is).to.equal('pods')
  })

  it('are none of a pod without a series of events', () =>
    expect(treatmentOf([], [counter('total', 'a', [1, 4])])).to.deep.equal([{ pod: 'a', events: 0, exposure: 3 }]))

  it('are not counted without a total', () =>
    expect(
      answer([counter('events', 'd', [0, 9])], [counter('total', 'a', [1, 4])], {
        events: [counter('events', 'd', [undefined, 9])],
        total: [counter('total', 'c', [2, 4]), counter('total', 'd', [undefined, 4])],
      }),
    )
      .to.have.nested.property('data.control')
      .deep.equal([{ pod: 'c', events: 0, exposure: 2 }]))

  it('are what is there since a reset of all that had counted', () => {
    const total = [counter('total', 'a', [90, 40], { code: '200' }), counter('total', 'a', [0, 2], { code: '500' })]
    expect(treatmentOf([counter('events', 'a', [3, 2])], total)).to.deep.equal([{ pod: 'a', events: 2, exposure: 42 }])
    expect(treatmentOf([counter('events', 'a', [3, undefined])], total)).to.deep.equal([
      { pod: 'a', events: 0, exposure: 42 },
    ])
  })

  it('are not counted of a pod that was reset in part: what it counted before must not count again', () => {
    const quiet = [counter('total', 'd', [0, 5])]
    const controlOf = (events: readonly PrometheusSeries[], total: readonly PrometheusSeries[]) => {
      const found = answer([], [counter('total', 'a', [0, 1])], { events, total: [...total, ...quiet] })
      return found.is === 'data' && found.data.is === 'events' ? found.data.control : found
    }
    const rest = [{ pod: 'd', events: 0, exposure: 5 }]
    expect(controlOf([counter('events', 'c', [9, 3])], [counter('total', 'c', [20_000, 20_100])])).to.deep.equal(rest)
    expect(controlOf([counter('events', 'c', [2, 3])], [counter('total', 'c', [90, 40])])).to.deep.equal(rest)
  })

  it('are missing, as from the start, if too few pods are left that were not reset in part', () =>
    expect(answer([counter('events', 'a', [9, 3])], [counter('total', 'a', [9, 40])])).to.include({
      is: 'failed',
      lacksStart: true,
    }))

  it('are counted in the window in which their series is born, and never again', () => {
    const total = (code: string, ends: readonly [number | undefined, number]) => counter('total', 'a', ends, { code })
    const errors = (ends: readonly [number | undefined, number]) => [counter('total', 'a', ends, { code: '500' })]
    const born = treatmentOf(errors([undefined, 20]), [total('200', [1_000, 1_600]), total('500', [undefined, 20])])
    expect(born).to.deep.equal([{ pod: 'a', events: 20, exposure: 620 }])
    const next = treatmentOf(errors([20, 20]), [total('200', [1_600, 2_200]), total('500', [20, 20])])
    expect(next).to.deep.equal([{ pod: 'a', events: 0, exposure: 600 }])
  })

  it('are counted in a young process, also if it has more of them than of all that it had counted before', () => {
    const errors = [counter('total', 'a', [undefined, 90], { code: '500' })]
    const total = [counter('total', 'a', [60, 61], { code: '200' }), ...errors]
    expect(treatmentOf(errors, total)).to.deep.equal([{ pod: 'a', events: 90, exposure: 91 }])
    const route = counter('total', 'a', [undefined, 300], { code: '200', route: '/cart' })
    expect(treatmentOf(errors, [...total, route])).to.deep.equal([{ pod: 'a', events: 90, exposure: 391 }])
  })

  it('are what the old series grew by in a process whose series got other labels, not all since it began', () => {
    const relabelled = (errors: number) => {
      const of = (chart: string, code: string, ends: readonly [number | undefined, number]) =>
        counter('total', 'a', ends, { chart, code })
      const events = [of('1.0', '500', [errors, errors]), of('1.1', '500', [undefined, errors])]
      const good = [of('1.0', '200', [2_000_000, 2_000_150]), of('1.1', '200', [undefined, 2_000_300])]
      return treatmentOf(events, [...good, ...events])
    }
    for (const errors of [0, 40_000]) expect(relabelled(errors)).to.deep.equal([{ pod: 'a', events: 0, exposure: 150 }])
  })

  it('are unknown if only one answer has the start of a series that is in both: a server lost its data', () => {
    const message =
      'the answers contradict each other: the address of the provider must always lead to the same Prometheus'
    const code = (code: string, ends: readonly [number | undefined, number]) => counter('total', 'a', ends, { code })
    const good = code('200', [6_000, 6_300])
    const [known, unknown] = [code('500', [40, 40]), code('500', [undefined, 40])]
    expect(answer([unknown], [good, known])).to.deep.equal({ is: 'failed', message })
    expect(answer([known], [code('200', [undefined, 6_300]), unknown])).to.deep.equal({ is: 'failed', message })
    const control = { events: [{ ...unknown, pod: 'c' }], total: [good, known].map((one) => ({ ...one, pod: 'c' })) }
    expect(answer([known], [good, known], control)).to.deep.equal({ is: 'failed', message })
    expect(treatmentOf([known], [good, known])).to.deep.equal([{ pod: 'a', events: 0, exposure: 300 }])
  })

  it('prove no start of a total of other series, which may be all that a pod ever had', () =>
    expect(answer([counter('events', 'a', [40, 41])], [counter('total', 'a', [undefined, 6_300])])).to.include({
      is: 'failed',
      lacksStart: true,
    }))

  it('are not counted of a pod that seems to have had more of them in new series than there was in total', () => {
    const controlOf = (born: number) => {
      const events = [counter('events', 'c', [undefined, born])]
      const found = answer([], [counter('total', 'a', [0, 1])], {
        events,
        total: [counter('total', 'c', [20_000, 20_600]), counter('total', 'd', [0, 5])],
      })
      return found.is === 'data' && found.data.is === 'events' ? found.data.control : found
    }
    const rest = { pod: 'd', events: 0, exposure: 5 }
    expect(controlOf(600)).to.deep.equal([{ pod: 'c', events: 600, exposure: 600 }, rest])
    expect(controlOf(601)).to.deep.equal([rest])
  })

  it('are counted once each in windows one after the other, whenever their series are born', () => {
    const course = fc.array(fc.nat(9), { minLength: 3, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(course, { maxLength: 4 }), (courses) => {
        let [events, exposure] = [0, 0]
        for (let window = 0; window < 4; window += 1) {
          // each is born when its course begins, counted from the last edge
          const at = (growths: readonly number[], edge: number) => {
            const age = growths.length + edge - 4
            return age > 0 ? growths.slice(0, age).reduce((sum, growth) => sum + growth, 0) : undefined
          }
          const errors = courses.map((growths, route) =>
            counter('total', 'a', [at(growths, window), at(growths, window + 1)], { code: '500', route: `${route}` }),
          )
          const good = counter('total', 'a', [100 * window, 100 * window + 100], { code: '200' })
          const [found] = [treatmentOf(errors, [good, ...errors])].flat()
          if (!found || 'is' in found) throw new Error('the window is of no use')
          events += found.events
          exposure += found.exposure
        }
        const before = courses.reduce((sum, growths) => sum + (growths.length > 4 ? (growths[0] ?? 0) : 0), 0)
        const all = courses.flat().reduce((sum, growth) => sum + growth, 0) - before
        expect([events, exposure]).to.deep.equal([all, 400 + all])
      }),
      LAW,
    )
  })

  it('are not counted of a process without any series at the start, which may not have been scraped by then', () => {
    const of = (container: string) => ({ job: 'cart', instance: '10.0.0.1:80', container })
    const total = (container: string, start: number | undefined) => counter('total', 'a', [start, 9], of(container))
    const born = (container: string, end: number) => counter('events', 'a', [undefined, end], of(container))
    const events = [born('late', 4), born('app', 2)]
    expect(treatmentOf(events, [total('app', 1), total('late', undefined)])).to.deep.equal([
      { pod: 'a', events: 2, exposure: 8 },
    ])
  })

  it('leave out a series that is gone at the end', () =>
    expect(
      treatmentOf([], [counter('total', 'a', [0, 8]), counter('total', 'a', [9, undefined], { x: 'y' })]),
    ).to.deep.equal([{ pod: 'a', events: 0, exposure: 8 }]))

  it('are unknown of an arm without any total', () =>
    expect(answer([counter('events', 'a', [0, 1])], [])).to.deep.equal({ is: 'silent', arms: ['treatment'] }))

  it('need data of half of the pods', () => {
    expect(answer([], [counter('total', 'a', [undefined, 1])])).to.have.property('is', 'failed')
    const half = { events: [], total: [counter('total', 'd', [0, 0])] }
    expect(answer([], [counter('total', 'a', [0, 1])], half)).to.have.property('is', 'data')
  })

  it('are counts', () => {
    const wrong = { is: 'failed', message: 'the answer has a count that is not a whole number' }
    const total = [counter('total', 'a', [0, 1])]
    expect(answer([counter('events', 'a', ['NaN', '1'])], total)).to.deep.equal(wrong)
    expect(answer([], [...total, counter('total', 'a', [undefined, '0.5'], { x: 'y' })])).to.deep.equal(wrong)
    const infinite = { ...QUIET, events: [counter('events', 'c', ['1', '+Inf'])] }
    expect(answer([], total, infinite)).to.deep.equal(wrong)
  })
})
