import { expect } from 'chai'
import { MAX_TRACE, type RunPoint } from '../../../../common/analysis/kinds/run.ts'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { expectedStart, withTracePoint } from '../../../../common/analysis/run/fold.ts'
import { memoryOf } from '../../../../common/analysis/run/memory.ts'
import {
  ARMS,
  aPod,
  aPoll,
  aRun,
  at,
  CREATED_MS,
  DECIDED,
  decision,
  ERRORS,
  events,
  FAILED,
  lookedAt,
  lookedThrough,
  metricOf,
  statusOf,
  window,
} from './runs.ts'

const GOOD = events([0, 40], [0, 160])
const NONE = { counted: 0, empty: 0, unusable: 0, skipped: 0 }

describe('a window', () => {
  it('counts once: not again, not late, and not what is of another time', () => {
    const once = lookedAt(aRun(), aPoll(10, [window(GOOD, 0, 10)]))
    expect(metricOf(once)).to.deep.include({ windowEnd: at(10), samples: { treatment: 40, control: 160 } })
    for (const [from, to] of [
      [0, 10],
      [0, 20],
      [20, 30],
      [5, 15],
    ] as const) {
      const again = lookedAt(once, aPoll(30, [window(GOOD, from, to)]))
      expect(metricOf(again)).to.deep.equal(metricOf(once))
      expect(statusOf(again).windows).to.deep.equal({ ...NONE, counted: 1 })
    }
    const next = lookedAt(once, aPoll(20, [window(GOOD, 10, 20)]))
    expect(metricOf(next).samples).to.deep.equal({ treatment: 80, control: 320 })
  })

  it('with fewer than five requests in an arm is asked for again, until it is ten intervals long', () => {
    const thin = events([0, 4], [0, 100])
    for (const seconds of [10, 50, 90]) {
      const run = lookedAt(aRun(), aPoll(seconds, [window(thin, 0, seconds)]))
      expect(metricOf(run)).to.include({ reason: 'TooFewSamples' })
      expect(metricOf(run)).to.not.have.property('windowEnd')
      expect(statusOf(run).windows).to.deep.equal(NONE)
    }
    const longest = lookedAt(aRun(), aPoll(100, [window(thin, 0, 100)]))
    expect(metricOf(longest)).to.deep.include({ windowEnd: at(100), samples: { treatment: 4, control: 100 } })
  })

  it('without requests of an arm adds nothing, and is empty when it is ten intervals long', () => {
    const silent = events([0, 0], [3, 50])
    const first = lookedAt(aRun(), aPoll(10, [window(silent, 0, 10)]))
    expect(metricOf(first)).to.deep.include({ reason: 'NoTreatmentData', since: at(0) })
    const last = lookedAt(first, aPoll(100, [window(silent, 0, 100)]))
    expect(metricOf(last)).to.deep.include({ reason: 'NoTreatmentData', since: at(0), windowEnd: at(100) })
    expect(metricOf(last)).to.not.have.property('samples')
    expect(statusOf(last).windows).to.deep.equal({ ...NONE, empty: 1 })
  })

  for (const [arms, reason] of [
    [['treatment'], 'NoTreatmentData'],
    [['control'], 'NoControlData'],
    [['treatment', 'control'], 'NoSeries'],
  ] as const)
    it(`of which the provider knows nothing for ${arms.join(' and ')} says ${reason}`, () =>
      expect(metricOf(lookedAt(aRun(), aPoll(10, [window({ is: 'silent', arms }, 0, 10)]))).reason).to.equal(reason))

  it('in which no pod counts is empty at once, as a longer one would be', () => {
    const arms = { ...ARMS, treatment: [aPod('fork', { readySinceMs: CREATED_MS + 14_000 })] }
    const none: WindowAnswer = { is: 'silent', arms: ['treatment', 'control'] }
    const begun = lookedAt(aRun(), aPoll(10, [window(GOOD, 0, 10)]))
    const first = lookedAt(begun, aPoll(20, [window(none, 10, 20)], { arms }))
    expect(metricOf(first)).to.deep.include({ reason: 'NoPods', since: at(10), windowEnd: at(20) })
    // the pod counts from second 14 on, so only the interval before second 20 is lost
    const late = lookedAt(begun, aPoll(60, [window(none, 10, 60)], { arms }))
    expect(metricOf(late)).to.deep.include({ reason: 'NoPods', windowEnd: at(20) })
    expect(statusOf(late).windows).to.deep.equal({ ...NONE, counted: 1, empty: 1 })
    const gone = lookedAt(begun, aPoll(60, [window(none, 10, 60)], { arms: { ...arms, treatment: [] } }))
    expect(metricOf(gone)).to.deep.include({ reason: 'NoPods', windowEnd: at(60) })
    const warm = lookedAt(late, aPoll(70, [window(GOOD, 20, 70)], { arms }))
    expect(metricOf(warm)).to.deep.include({ reason: 'Measuring', windowEnd: at(70) })
  })

  it('that the provider cannot give is unusable, and is asked for again', () => {
    const failed = lookedAt(aRun(), aPoll(10, [window(FAILED, 0, 10)]))
    expect(metricOf(failed)).to.deep.include({ reason: 'ProviderFailed', since: at(10) })
    expect(statusOf(failed)).to.deep.include({ windows: { ...NONE, unusable: 1 }, message: 'errors: no data: 503' })
    const again = lookedAt(failed, aPoll(20, [window(FAILED, 0, 20)]))
    expect(metricOf(again)).to.deep.include({ since: at(10) })
    const back = lookedAt(again, aPoll(30, [window(GOOD, 0, 30)]))
    expect(metricOf(back)).to.deep.include({ reason: 'Measuring', windowEnd: at(30) })
    expect(statusOf(back).windows).to.deep.equal({ ...NONE, unusable: 2, counted: 1 })
  })

  it('of whose start the pods have no data is unusable, and the next one begins at its end', () => {
    const failed = lookedAt(
      aRun(),
      aPoll(10, [window({ is: 'failed', message: 'too few pods', lacksStart: true }, 0, 10)]),
    )
    expect(metricOf(failed)).to.deep.include({ reason: 'ProviderFailed', since: at(10), windowEnd: at(10) })
    const next = lookedAt(failed, aPoll(20, [window(GOOD, 10, 20)]))
    expect(metricOf(next)).to.deep.include({ reason: 'Measuring', windowEnd: at(20) })
    expect(statusOf(next).windows).to.deep.equal({ ...NONE, unusable: 1, counted: 1 })
  })

  it('with data that the metric cannot use is unusable', () => {
    const run = lookedAt(aRun(), aPoll(10, [window(decision('Pass'), 0, 10)]))
    expect(metricOf(run)).to.include({ reason: 'ProviderFailed', verdict: 'Wait' })
    expect(statusOf(run).message).to.contain('data that the metric cannot use')
  })

  it('with numbers that nobody can have counted is unusable, however few they are', () => {
    for (const [own, all] of [
      [3, Number.NaN],
      [3, -1],
      [0.5, 3],
    ] as const)
      expect(metricOf(lookedAt(aRun(), aPoll(10, [window(events([own, all], [0, 160]), 0, 10)])))).to.include({
        reason: 'ProviderFailed',
      })
  })

  it('that has not ended, has no length or goes back is refused', () => {
    const once = lookedAt(aRun(), aPoll(10, [window(GOOD, 0, 10)]))
    for (const each of [
      window(GOOD, 10, 21),
      window(GOOD, 10, 10),
      window(GOOD, 10, 5),
      window(GOOD, 0, 20, { skipped: -1 }),
    ]) {
      const after = lookedAt(once, aPoll(20, [each]))
      expect(metricOf(after)).to.deep.equal(metricOf(once))
      expect(statusOf(after).windows).to.deep.equal({ ...NONE, counted: 1 })
    }
  })

  it('of three intervals counts after three without a controller', () => {
    const begun = lookedAt(aRun(), aPoll(10, [window(GOOD, 0, 10)]))
    const late = lookedAt(begun, aPoll(40, [window(GOOD, 10, 40)]))
    expect(metricOf(late).windowEnd).to.equal(at(40))
    expect(statusOf(late).windows).to.deep.equal({ ...NONE, counted: 2 })
  })

  it('after skipped ones begins later, and they are counted', () => {
    const run = lookedAt(aRun(), aPoll(300, [window(GOOD, 200, 300, { skipped: 20 })]))
    expect(statusOf(run).windows).to.deep.equal({ ...NONE, counted: 1, skipped: 20 })
    expect(metricOf(run).windowEnd).to.equal(at(300))
    const failed = lookedAt(aRun(), aPoll(300, [window(FAILED, 200, 300, { skipped: 20 })]))
    expect(metricOf(failed).windowEnd).to.equal(at(200))
    const later = lookedAt(failed, aPoll(310, [window(GOOD, 210, 310, { skipped: 1 })]))
    expect(statusOf(later).windows).to.deep.equal({ ...NONE, counted: 1, unusable: 1, skipped: 21 })
  })

  it('begins where the last one ended, or with the run', () => {
    expect(expectedStart({}, { startedMs: 7 })).to.equal(7)
    expect(expectedStart({ windowEnd: at(10) }, { startedMs: 7 })).to.equal(CREATED_MS + 10_000)
  })
})

describe('a metric', () => {
  it('keeps its evidence, its effect and its trace', () => {
    const run = lookedThrough(
      aRun(),
      Array.from({ length: 5 }, () => events([2, 40], [5, 160])),
    )
    const { harm, safe, effect, trace, memory, verdict } = metricOf(run)
    expect(harm?.needs).to.be.closeTo(Math.log(1 / 0.025), 1e-9)
    expect(safe?.map(({ part }) => part)).to.deep.equal(['rate'])
    expect(effect?.of).to.equal('rate')
    expect(trace).to.have.length(5)
    expect(trace?.at(-1)?.harm).to.equal(harm?.logE)
    expect(trace?.at(-1)?.safe).to.equal(safe?.[0]?.logE)
    expect(memory?.version).to.equal(2)
    expect(memory?.numbers.length).to.be.above(10)
    expect(verdict).to.equal('Wait')
  })

  it('goes on after its state was stored and read again, to the same doubles', () => {
    const answers = Array.from({ length: 8 }, (_, index) => events([index % 3, 40], [2, 160]))
    const whole = lookedThrough(aRun(), answers)
    const restored = answers.reduce(
      (former, answer, index) =>
        JSON.parse(
          JSON.stringify(lookedAt(former, aPoll(10 * index + 10, [window(answer, 10 * index, 10 * index + 10)]))),
        ),
      aRun(),
    )
    expect(restored).to.deep.equal(whole)
  })

  it('is compared pod by pod when harm is shown', () => {
    const arm = (name: string, pods: number, some: number) =>
      Array.from({ length: pods }, (_, index) => ({ pod: `${name}-${index}`, events: some, exposure: 60 }))
    const data = { is: 'events', treatment: arm('fork', 2, 15), control: arm('cart', 6, 1) } as const
    const run = lookedThrough(aRun(), Array(9).fill({ is: 'data', data }))
    expect(metricOf(run)).to.deep.include({ verdict: 'Fail', pods: { groups: 2, outer: 0 } })
  })

  it('N44: is held back where the pods of the two versions get unequal requests', () => {
    const arm = (name: string, pods: number, some: number, exposure: number) =>
      Array.from({ length: pods }, (_, index) => ({ pod: `${name}-${index}`, events: some, exposure }))
    const answers = (exposure: number) => {
      const data = { is: 'events', treatment: arm('fork', 2, exposure / 4, exposure), control: arm('cart', 6, 1, 60) }
      return Array(20).fill({ is: 'data', data })
    }
    const run = lookedThrough(aRun(), answers(200))
    expect(metricOf(run)).to.deep.include({ verdict: 'Wait', reason: 'TrafficDiffers' })
    expect(statusOf(run)).to.deep.include({ verdict: 'Wait', reason: 'TrafficDiffers' })
    expect(statusOf(run).message).to.match(/^errors: a pod of one version gets more than twice the requests/)
    expect(metricOf(lookedThrough(aRun(), answers(120))).verdict).to.equal('Fail')
    const chosen = { ...ERRORS, prometheus: { events: 'e', total: 't', matchers: ['route="/cart"'] } }
    expect(metricOf(lookedThrough(aRun({ metrics: [chosen] }), answers(200))).verdict).to.equal('Fail')
  })

  it('tells pods only while they can explain harm', () => {
    const once = lookedAt(aRun(), aPoll(10, [window(GOOD, 0, 10)]))
    const former = { ...metricOf(once), pods: { groups: 20, outer: 2 }, reason: 'PodsDiffer' }
    const differing = { ...once, status: { ...statusOf(once), metrics: [former] } }
    const after = lookedAt(differing, aPoll(20, [window(GOOD, 10, 20)]))
    expect(metricOf(after)).to.deep.include({ reason: 'Measuring', since: at(20) })
    expect(metricOf(after)).to.not.have.property('pods')
    const thin = lookedAt(differing, aPoll(20, [window(events([0, 1], [0, 9]), 10, 20)]))
    expect(statusOf(thin).reason).to.equal('PodsDiffer')
  })

  it('without a bound of its errors has no trace', () => {
    const run = lookedThrough(aRun({ metrics: [DECIDED] }), [decision('Wait')], 'decided')
    expect(metricOf(run, 'decided').trace).to.deep.equal([])
  })
})

const point = (at: number): RunPoint => ({ at: String(at), harm: at, safe: 0 })

describe('a trace', () => {
  it('has every point until it is full, then every second one', () => {
    const full = Array.from({ length: MAX_TRACE }, (_, at) => point(at)).reduce(
      withTracePoint,
      [] as readonly RunPoint[],
    )
    expect(full).to.have.length(MAX_TRACE)
    const next = withTracePoint(full, point(MAX_TRACE))
    expect(next).to.have.length(MAX_TRACE / 2 + 1)
    expect(next.slice(0, 3).map(({ harm }) => harm)).to.deep.equal([0, 2, 4])
    expect(next.at(-1)).to.deep.equal(point(MAX_TRACE))
  })

  it('never has more points, and always the first and the last one', () => {
    let trace: readonly RunPoint[] = []
    for (let at = 0; at < 1_000; at += 1) {
      trace = withTracePoint(trace, point(at))
      expect(trace.length).to.be.at.most(MAX_TRACE)
      expect(trace.at(-1)).to.deep.equal(point(at))
      expect(trace[0]).to.deep.equal(point(0))
    }
  })
})

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
