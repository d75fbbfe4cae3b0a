import { expect } from 'chai'
import type { RunMetric } from '../../../../common/analysis/kinds/run.ts'
import { memoryOf, withMemory, withoutForeignEvidence } from '../../../../common/analysis/run/memory.ts'
import { aPoll, aRun, CREATED_MS, events, HEALTH, lookedAt, metricOf, statusOf, TIMES, window } from './runs.ts'

const AT = new Date(CREATED_MS).toISOString()
const NOW = CREATED_MS + 60_000
const [BEGUN, VALUE] = [{ kind: 'ErrorRate' }, { kind: 'Value' }] as const
/** As an earlier version has stored it. */
const FORMER: RunMetric = {
  ...{ name: 'errors', verdict: 'Pass', reason: 'Passed', since: AT, windowEnd: AT },
  ...{ samples: { treatment: 400, control: 400 }, harm: { logE: 3, needs: 3.7 }, state: [5, 1, 2, 3, 4, 5] },
  ...{ twin: { logE: 1, needs: 3, state: [1] }, trace: [{ at: AT, harm: 1, safe: 1 }] },
}

describe('what a metric remembers', () => {
  it('is in a member with a version, where numbers of the kind have one', () => {
    expect(withMemory({}, BEGUN, [1, 2])).to.deep.equal({ memory: { version: 2, numbers: [1, 2] } })
    expect(withMemory({}, VALUE, [1, 2])).to.deep.equal({ state: [1, 2] })
    expect(memoryOf(withMemory({}, BEGUN, [1, 2]), BEGUN)).to.deep.equal([1, 2])
    expect(memoryOf(withMemory({}, VALUE, [1, 2]), VALUE)).to.deep.equal([1, 2])
    expect([memoryOf({}, BEGUN), memoryOf({}, VALUE)]).to.deep.equal([[], []])
  })

  it('N38: is never read by another version', () => {
    expect(memoryOf(FORMER, BEGUN)).to.deep.equal([])
    expect(memoryOf({ memory: { version: 3, numbers: [1] } }, BEGUN)).to.deep.equal([])
    // an earlier version went on meanwhile: its windows are not in the memory
    expect(memoryOf({ memory: { version: 2, numbers: [1] }, state: [2] }, BEGUN)).to.deep.equal([])
  })

  it('N38: of another version is dropped with all that was found by it, and the clock goes on', () => {
    const metric = withoutForeignEvidence(FORMER, BEGUN, NOW)
    const at = new Date(NOW).toISOString()
    expect(metric).to.deep.equal({
      ...{ name: 'errors', verdict: 'Wait', reason: 'Measuring', since: at, windowEnd: AT, trace: FORMER.trace },
      hasSeries: true,
      memory: { version: 2, numbers: [], since: at },
    })
    expect(withMemory(metric, BEGUN, [1])).to.deep.equal({ memory: { version: 2, numbers: [1], since: at } })
    expect(
      withoutForeignEvidence({ ...FORMER, state: undefined } as unknown as RunMetric, BEGUN, NOW).samples,
    ).to.equal(undefined)
  })

  it('N38: of another version is dropped, but not since when there is no data', () => {
    const silent = { ...FORMER, verdict: 'Wait', reason: 'NoTreatmentData' } as const
    expect(withoutForeignEvidence(silent, BEGUN, NOW)).to.include({ reason: 'NoTreatmentData', since: AT })
  })

  it('N38: of another version is dropped, but not since when its provider fails, whatever it had found before', () => {
    const failing = { ...FORMER, reason: 'ProviderFailed', pods: { groups: 2, outer: 1 } } as const
    expect(withoutForeignEvidence(failing, BEGUN, NOW)).to.include({ reason: 'ProviderFailed', since: AT })
    const differing = { ...failing, verdict: 'Wait', reason: 'PodsDiffer' } as const
    expect(withoutForeignEvidence(differing, BEGUN, NOW)).to.include({ reason: 'Measuring' })
  })

  it('N38: of another version is dropped, but not that there were series, so that no name is doubted', () => {
    expect(withoutForeignEvidence(FORMER, BEGUN, NOW).hasSeries).to.equal(true)
    const { samples: _none, ...uncounted } = FORMER
    expect(withoutForeignEvidence(uncounted, BEGUN, NOW)).not.to.have.property('hasSeries')
  })

  it('stays if it is readable, or if nothing was counted', () => {
    const { state: _state, samples: _samples, ...waiting } = FORMER
    for (const metric of [waiting, { ...waiting, ...withMemory({}, BEGUN, [1]) }])
      expect(withoutForeignEvidence(metric, BEGUN, NOW)).to.equal(metric)
    expect(withoutForeignEvidence(FORMER, VALUE, NOW)).to.equal(FORMER)
  })
})

describe('a run of an earlier version', () => {
  const CALM = events([0, 400], [0, 400])
  const times = { ...TIMES, maxSeconds: 60 }
  const begun = lookedAt(aRun(), aPoll(10, [window(CALM, 0, 10)]), times)
  const former = { ...begun, status: { ...statusOf(begun), metrics: [{ ...metricOf(begun), ...FORMER }] } }

  it('N38: goes on without its evidence, says so, and ends when it would have ended', () => {
    const { memory: _none, ...errors } = { ...metricOf(begun), ...FORMER, windowEnd: metricOf(begun).windowEnd ?? '' }
    const stored = { ...former, status: { ...former.status, metrics: [errors] } }
    const next = lookedAt(stored, aPoll(20, [window(CALM, 10, 20)]), times)
    expect(statusOf(next)).to.deep.include({ verdict: 'Wait', startedAt: statusOf(begun).startedAt })
    expect(metricOf(next)).to.deep.include({ samples: { treatment: 400, control: 400 } })
    expect(metricOf(next)).not.to.have.any.keys('state', 'twin')
    expect(statusOf(next).message).to.contain(
      `errors: another version of the controller had begun, so windows count only since ${metricOf(next).memory?.since}`,
    )
    expect(statusOf(lookedAt(next, aPoll(80), times))).to.include({ verdict: 'Inconclusive' })
  })

  it('N38: keeps a Pass after which it looks on, and every final verdict', () => {
    const watching = { ...times, continueAfterPass: true }
    const passed = { ...former, status: { ...former.status, verdict: 'Pass', reason: 'Passed' } as const }
    expect(statusOf(lookedAt(passed, aPoll(20), watching))).to.include({ verdict: 'Pass', reason: 'Passed' })
    const failed = { ...former, status: { ...former.status, verdict: 'Fail', reason: 'HarmFound' } as const }
    expect(statusOf(lookedAt(failed, aPoll(20), times))).to.equal(failed.status)
  })

  it('N38: counts restarts anew', () => {
    const run = aRun({ metrics: [HEALTH] })
    const looked = lookedAt(run, aPoll(10))
    const { memory: _none, ...health } = metricOf(looked, 'health')
    const old = { ...looked, status: { ...statusOf(looked), metrics: [{ ...health, state: [2, 7, 3, 0] }] } }
    const next = metricOf(lookedAt(old, aPoll(20)), 'health')
    expect(next).to.deep.include({ verdict: 'Wait', samples: { treatment: 20, control: 20 } })
  })
})
