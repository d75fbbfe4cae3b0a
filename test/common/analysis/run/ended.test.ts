import { expect } from 'chai'
import type { AnalysisRun } from '../../../../common/analysis/kinds/run.ts'
import { abortedStatus, notHealthyStatus, resumedStatus } from '../../../../common/analysis/run/ended.ts'
import { healthMemory } from '../../../../common/analysis/run/health.ts'
import { isFinal } from '../../../../common/analysis/run/look.ts'
import {
  aPod,
  aPoll,
  aRun,
  CREATED_MS,
  DECIDED,
  decision,
  events,
  FAILED,
  HEALTH,
  lookedAt,
  metricOf,
  statusOf,
  TIMES,
  window,
} from './runs.ts'

const NOW = new Date(CREATED_MS + 60_000)
const LOOKED = lookedAt(aRun(), aPoll(10, [window(events([0, 40], [0, 160]), 0, 10)]))

describe('a run that ends by a decision', () => {
  it('keeps its evidence, and has no next look', () => {
    const status = abortedStatus(LOOKED, NOW)
    expect(status).to.deep.include({ verdict: 'Aborted', finishedAt: NOW.toISOString(), looks: 1 })
    expect(status.metrics).to.deep.equal(LOOKED.status?.metrics)
    expect(status).to.not.have.property('nextLookAt')
  })

  it('has passed if it had, and only looked on', () => {
    const passed = { ...LOOKED, status: { ...statusOf(LOOKED), verdict: 'Pass', reason: 'Passed', action: 'Promote' } }
    const { nextLookAt: _none, ...status } = passed.status
    expect(abortedStatus(passed as AnalysisRun, NOW)).to.deep.equal({ ...status, finishedAt: NOW.toISOString() })
  })

  it('may end before its first look', () =>
    expect(abortedStatus(aRun(), NOW)).to.deep.include({ verdict: 'Aborted', since: NOW.toISOString(), looks: 0 }))

  it('keeps a Pass after which it went on', () => {
    const times = { ...TIMES, continueAfterPass: true }
    const run = aRun({ metrics: [DECIDED] })
    const passed = lookedAt(run, aPoll(10, [window(decision('Pass'), 0, 10, { metric: 'decided' })]), times)
    const { nextLookAt, ...former } = statusOf(passed)
    expect(nextLookAt).to.be.a('string')
    expect(abortedStatus(passed, NOW)).to.deep.equal({ ...former, finishedAt: NOW.toISOString() })
  })

  it('is harm where the fork did not get ready, and rolls back', () => {
    const status = notHealthyStatus(LOOKED, TIMES, NOW, 'no pod is ready')
    expect(status).to.deep.include({
      verdict: 'Fail',
      reason: 'NotHealthy',
      action: 'RollBack',
      message: 'no pod is ready',
    })
    expect(isFinal(status, TIMES)).to.equal(true)
  })

  it('N37b: has no control characters of what an Event says of the fork', () =>
    expect(notHealthyStatus(LOOKED, TIMES, NOW, 'a\u001b[2J').message).to.equal('a\\u001b[2J'))
})

describe('a run whose question is asked again', () => {
  const aborted = { ...LOOKED, status: abortedStatus(LOOKED, NOW) }
  const later = new Date(NOW.getTime() + 600_000)
  const resumed = { ...aborted, status: resumedStatus(aborted, later) }

  it('goes on with its evidence', () => {
    expect(resumed.status).to.deep.include({ verdict: 'Wait', reason: 'Measuring', nextLookAt: later.toISOString() })
    expect(resumed.status).to.not.have.any.keys('finishedAt', 'action')
    expect(metricOf(resumed).memory).to.deep.equal(metricOf(LOOKED).memory)
  })

  it('never counts what happened meanwhile', () => {
    expect(metricOf(resumed).windowEnd).to.equal(later.toISOString())
    const late = lookedAt(resumed, aPoll(700, [window(events([0, 40], [0, 160]), 10, 20)]))
    expect(statusOf(late).windows.counted).to.equal(1)
  })

  it('does not count the restarts of pods meanwhile', () => {
    const pods = (restarts: number) => ({
      arms: { treatment: [aPod('fork', { restarts })], control: [aPod('source', { restarts })] },
    })
    const run = lookedAt(aRun({ metrics: [HEALTH] }), aPoll(30, [], pods(0)))
    const stopped = { ...run, status: abortedStatus(run, NOW) }
    const again = { ...stopped, status: resumedStatus(stopped, later) }
    const looked = metricOf(lookedAt(again, aPoll(690, [], pods(5))), 'health')
    const { engine } = healthMemory(looked.memory?.numbers ?? [])
    expect(engine).to.deep.equal(
      healthMemory(metricOf(lookedAt(again, aPoll(690, [], pods(0))), 'health').memory?.numbers ?? []).engine,
    )
  })

  it('has a clock that stood still', () => {
    expect(statusOf(LOOKED).startedAt).to.equal(new Date(CREATED_MS).toISOString())
    expect(resumed.status.startedAt).to.equal(new Date(CREATED_MS + 600_000).toISOString())
    const times = { ...TIMES, maxSeconds: 300 }
    expect(statusOf(lookedAt(resumed, aPoll(670), times)).verdict).to.equal('Wait')
    expect(statusOf(lookedAt(resumed, aPoll(900), times)).verdict).to.equal('Inconclusive')
    const going = { ...LOOKED, status: resumedStatus(LOOKED, later) }
    expect(going.status.startedAt).to.equal(statusOf(LOOKED).startedAt)
  })

  it('forgets for how long there was no data', () => {
    const failing = lookedAt(aRun(), aPoll(10, [window(FAILED, 0, 10)]))
    const stopped = { ...failing, status: abortedStatus(failing, NOW) }
    const again = { ...stopped, status: resumedStatus(stopped, later) }
    const next = lookedAt(again, aPoll(670, [window(FAILED, 660, 670)]))
    expect(statusOf(next)).to.include({ verdict: 'Wait', reason: 'ProviderFailed' })
  })

  it('has still passed, if it had', () => {
    const former = { ...statusOf(LOOKED), verdict: 'Pass', reason: 'Passed', message: 'm', action: 'Promote' } as const
    const passed = resumedStatus({ ...LOOKED, status: { ...former, finishedAt: NOW.toISOString() } }, later)
    expect(passed).to.deep.include({ ...{ verdict: 'Pass', message: 'm', action: 'Promote' }, since: former.since })
    expect(passed).to.deep.include({ nextLookAt: later.toISOString() })
    expect(passed).to.not.have.property('finishedAt')
  })

  it('may never have begun', () => {
    const never = { ...aRun(), status: abortedStatus(aRun(), NOW) }
    expect(resumedStatus(never, later)).to.not.have.property('metrics')
    expect(resumedStatus(aRun(), later)).to.include({ verdict: 'Wait' })
  })
})
