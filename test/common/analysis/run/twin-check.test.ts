import { expect } from 'chai'
import type { WindowAnswer } from '../../../../common/analysis/query/window-query.ts'
import { isCheckedByTwin } from '../../../../common/analysis/run/twin-check.ts'
import type { Metric } from '../../../../common/api/analysis/metric.ts'
import {
  ARMS,
  aPod,
  aPoll,
  aRun,
  CREATED_MS,
  DECIDED,
  ERRORS,
  events,
  FAILED,
  HEALTH,
  LATENCY,
  lookedAt,
  metricOf,
  statusOf,
  TIMES,
  window,
} from './runs.ts'

const SAME = events([2, 100], [2, 100])
const SOURCE = [aPod('source-1'), aPod('source-2')]
const WITH_SOURCE = { arms: { ...ARMS, source: SOURCE } }

/** The run after windows of ten seconds, each with what the fork and what the twin gave. */
const lookedWith = (
  answers: readonly (readonly [fork: WindowAnswer, twin?: WindowAnswer])[],
  run = aRun(),
  times = TIMES,
) =>
  answers.reduce(
    (former, [answer, twin], index) =>
      lookedAt(
        former,
        aPoll(10 * index + 10, [window(answer, 10 * index, 10 * index + 10, twin ? { twin } : {})], WITH_SOURCE),
        times,
      ),
    run,
  )

const WORSE = events([60, 100], [2, 100])

describe('the check by a twin', () => {
  it('ends the run without a verdict on the fork as soon as the twin is shown to be worse than the source', () => {
    const run = lookedWith([[SAME, WORSE]])
    expect(metricOf(run)).to.include({ verdict: 'Inconclusive', reason: 'ControlsDiffer' })
    expect(metricOf(run).twin?.logE).to.be.above(metricOf(run).twin?.needs ?? Number.NaN)
    expect(statusOf(run)).to.include({ verdict: 'Inconclusive', reason: 'ControlsDiffer', action: 'RollBack' })
    expect(statusOf(run).message).to.equal(
      'errors: the twin is shown to be worse than the source, which is the same version, so the measurement is wrong; ' +
        'errors 0%, harm <1 of 40',
    )
  })

  it('says nothing of a fork that seems to do harm while the measurement is wrong', () => {
    expect(statusOf(lookedWith([[WORSE, SAME]]))).to.include({ verdict: 'Fail', reason: 'HarmFound' })
    expect(statusOf(lookedWith([[WORSE, WORSE]]))).to.include({ verdict: 'Inconclusive', reason: 'ControlsDiffer' })
  })

  it('goes on saying so after windows that say nothing', () => {
    const times = { ...TIMES, continueAfterPass: true }
    const CALM = events([0, 400], [0, 400])
    const calm = Array.from({ length: 6 }, () => [CALM, CALM] as const)
    const shown = lookedWith([...calm, [CALM, WORSE]], aRun(), times)
    expect(statusOf(lookedWith(calm, aRun(), times)).verdict).to.equal('Pass')
    expect(metricOf(shown)).to.include({ verdict: 'Inconclusive', reason: 'ControlsDiffer' })
    const failed = lookedAt(shown, aPoll(80, [window(FAILED, 70, 80)], WITH_SOURCE), times)
    expect(metricOf(failed)).to.include({ verdict: 'Inconclusive', reason: 'ControlsDiffer' })
    expect(metricOf(failed).since).to.equal(metricOf(shown).since)
    const better = window(WORSE, 70, 80, { twin: events([0, 5_000], [500, 5_000]) })
    const later = lookedAt(failed, aPoll(80, [better], WITH_SOURCE), times)
    expect(metricOf(later)).to.include({ verdict: 'Inconclusive', reason: 'ControlsDiffer' })
  })

  it('lets another metric fail', () => {
    const run = aRun({ metrics: [ERRORS, { ...ERRORS, name: 'others' }] })
    const windows = [window(SAME, 0, 10, { twin: WORSE }), window(WORSE, 0, 10, { metric: 'others', twin: SAME })]
    expect(statusOf(lookedAt(run, aPoll(10, windows, WITH_SOURCE)))).to.include({ verdict: 'Fail' })
  })

  it('counts no window whose twin could not be asked, so that it is asked for again', () => {
    const run = lookedWith([[SAME, FAILED]])
    expect(metricOf(run)).to.include({ reason: 'ProviderFailed' })
    expect(metricOf(run)).to.not.have.any.keys('windowEnd', 'twin')
    const lacking = lookedWith([[SAME, { is: 'failed', message: 'no start', lacksStart: true }]])
    expect(metricOf(lacking).windowEnd).to.equal(new Date(CREATED_MS + 10_000).toISOString())
    expect(statusOf(lookedWith([[SAME, events([-1, 5], [0, 5])]])).windows).to.deep.include({ counted: 0, unusable: 1 })
    const useless: WindowAnswer = { is: 'data', data: { is: 'value', treatment: 1, control: 1 } }
    expect(statusOf(lookedWith([[SAME, useless]])).windows).to.deep.include({ counted: 0, unusable: 1 })
  })

  it('keeps its evidence over windows in which nobody could compare the twin', () => {
    const some = events([6, 100], [2, 100])
    const [once, later] = [
      lookedWith([[SAME, some]]),
      lookedWith([[SAME, some], [SAME], [SAME, { is: 'silent', arms: [] }]]),
    ]
    expect(metricOf(once).twin?.state).to.have.length.above(0)
    expect(metricOf(later).twin).to.deep.equal(metricOf(once).twin)
  })

  it('stays as it is once it is shown, also of a metric that only tells', () => {
    const run = aRun({ metrics: [{ ...ERRORS, dryRun: true }, HEALTH] })
    const shown = lookedWith([[SAME, WORSE]], run)
    const many = events([0, 5_000], [500, 5_000])
    const later = lookedWith(
      [
        [SAME, WORSE],
        [SAME, many],
      ],
      run,
    )
    expect(metricOf(later).twin?.logE).to.be.below(metricOf(later).twin?.needs ?? Number.NaN)
    expect(metricOf(later)).to.include({ reason: 'ControlsDiffer', since: metricOf(shown).since })
    expect(statusOf(later).verdict).to.equal('Wait')
  })

  it('does not take a Pass back', () => {
    const times = { ...TIMES, continueAfterPass: true }
    const calm = events([0, 400], [0, 400])
    const run = lookedWith([...Array<readonly [WindowAnswer, WindowAnswer]>(6).fill([calm, calm])], aRun(), times)
    expect(statusOf(run)).to.include({ verdict: 'Pass' })
    const on = lookedAt(run, aPoll(70, [window(calm, 60, 70, { twin: WORSE })], WITH_SOURCE), times)
    expect(statusOf(on)).to.include({ verdict: 'Pass', reason: 'Passed' })
  })

  it('compares restarts of the twin with those of the source', () => {
    const run = aRun({ metrics: [HEALTH] })
    const restarting = (count: number) => ({
      arms: {
        ...ARMS,
        control: [aPod('twin-1', { restarts: count }), aPod('twin-2', { restarts: count })],
        source: SOURCE,
      },
    })
    const first = lookedAt(run, aPoll(10, [], restarting(0)))
    expect(metricOf(first, 'health')).to.include({ reason: 'Measuring' })
    const later = lookedAt(first, aPoll(100, [], restarting(20)))
    expect(metricOf(later, 'health')).to.include({ verdict: 'Inconclusive', reason: 'ControlsDiffer' })
  })

  it('is left out where there is no twin', () => {
    expect(metricOf(lookedWith([[SAME]]))).to.not.have.property('twin')
    const healthy = lookedAt(aRun({ metrics: [HEALTH] }), aPoll(10))
    expect(metricOf(healthy, 'health')).to.not.have.property('twin')
  })

  it('is of use for the kinds that bound their errors', () => {
    const limit: Metric = { name: 'limit', kind: 'Threshold', provider: 'prometheus', max: 1 }
    expect([ERRORS, LATENCY, HEALTH].map(isCheckedByTwin)).to.deep.equal([true, true, true])
    expect([DECIDED, limit].map(isCheckedByTwin)).to.deep.equal([false, false])
  })
})
