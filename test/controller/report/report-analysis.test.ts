import { expect } from 'chai'
import type { AnalysisReport } from '../../../common/outcome/conclusion.ts'
import { anExperiment } from '../../builders.ts'
import { plan } from '../../common/of-facts.ts'
import { someFacts } from '../../common/plan/some-facts.ts'
import { reported } from './reporting.ts'

const SINCE = '2026-11-21T10:00:00.000Z'
const report = (of: Partial<AnalysisReport>): AnalysisReport => ({
  ...{ run: 'run', verdict: 'Wait', reason: 'NoPods', message: 'waiting for the fork', since: SINCE, attempt: 1 },
  ...{ metrics: [], isFinal: false, waitsForFork: false },
  ...of,
})

/** The Events after `now`, where the status has `before`. */
async function eventsOf(now: AnalysisReport, before?: AnalysisReport) {
  const { isFinal: _isFinal, ...analysis } = before ?? report({})
  const experiment = anExperiment({ analysis: {}, ...(before ? { status: { analysis } } : {}) })
  const facts = someFacts({ experiment })
  const { diary, messages } = await reported(facts, { ...plan(facts).conclusion, analysis: now })
  return [diary.filter((line) => /HarmFound|Passed|NoPods|Measuring|NoTraffic|NoSeries/.test(line)), messages] as const
}

describe('the Events of an analysis', () => {
  it('are none while it waits for pods at first', async () => expect((await eventsOf(report({})))[0]).to.deep.equal([]))

  it('say each change of verdict or reason once', async () => {
    const failed = report({ verdict: 'Fail', reason: 'HarmFound', message: 'latency +22%', isFinal: true })
    const [diary, messages] = await eventsOf(failed, report({}))
    expect(diary).to.deep.equal(['Warning HarmFound'])
    expect(messages).to.include('analysis: Fail: latency +22%')
    expect((await eventsOf(failed, failed))[0]).to.deep.equal([])
    expect((await eventsOf(report({ reason: 'NoTraffic' }), report({})))[0]).to.deep.equal(['Normal NoTraffic'])
    const passed = report({ verdict: 'Pass', reason: 'Passed', isFinal: true })
    expect((await eventsOf(passed, report({})))[0]).to.deep.equal(['Normal Passed'])
  })

  it('N15: warn that nothing is found of what is asked for, while it still waits', async () => {
    const none = report({ reason: 'NoSeries', message: 'latency: no series' })
    const [diary, messages] = await eventsOf(none, report({ reason: 'Measuring' }))
    expect(diary).to.deep.equal(['Warning NoSeries'])
    expect(messages).to.include('analysis: Wait: latency: no series')
    expect((await eventsOf(none, none))[0]).to.deep.equal([])
  })

  it('say another verdict with the same reason', async () => {
    const end = report({ verdict: 'NoData', isFinal: true })
    expect((await eventsOf(end, report({})))[0]).to.deep.equal(['Warning NoPods'])
  })

  it('say a first status that is more than waiting', async () => {
    const failed = report({ verdict: 'Fail', reason: 'HarmFound', isFinal: true })
    expect((await eventsOf(failed))[0]).to.deep.equal(['Warning HarmFound'])
  })

  it('are none for a word of another version', async () => {
    const [, messages] = await eventsOf(report({ reason: 'Unheard' }), report({}))
    expect(messages.filter((message) => message.startsWith('analysis: '))).to.deep.equal([])
  })
})
