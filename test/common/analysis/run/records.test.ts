import { expect } from 'chai'
import type { AnalysisRunStatus } from '../../../../common/analysis/kinds/run.ts'
import { abortedStatus } from '../../../../common/analysis/run/ended.ts'
import { expiredRecords, hasEnded, isInterrupted } from '../../../../common/analysis/run/records.ts'
import { aRun, CREATED_MS } from './runs.ts'

const NOW = new Date(CREATED_MS)
const DAY_MS = 86_400_000
const endedBefore = (ms: number, name: string) => {
  const status: AnalysisRunStatus = abortedStatus(aRun(), new Date(CREATED_MS - ms))
  return { ...aRun({ status }), metadata: { ...aRun().metadata, name } }
}
const names = (runs: ReturnType<typeof expiredRecords>) => runs.map(({ metadata }) => metadata.name)

describe('the records of analysis runs', () => {
  it('are kept for seven days', () => {
    const runs = [endedBefore(7 * DAY_MS, 'kept'), endedBefore(7 * DAY_MS + 1, 'old')]
    expect(names(expiredRecords(runs, NOW))).to.deep.equal(['old'])
  })

  it('are ten of an experiment, the youngest', () => {
    const runs = Array.from({ length: 12 }, (_, index) => endedBefore(1_000 * index, `${index}`)).reverse()
    expect(names(expiredRecords(runs, NOW))).to.deep.equal(['10', '11'])
  })

  it('are of runs that have ended', () => {
    expect(hasEnded(aRun())).to.equal(false)
    expect(hasEnded(endedBefore(0, 'a'))).to.equal(true)
  })

  it('may be of a run that can be taken up again: nobody asked any more, and it had no final verdict', () => {
    const ended = (verdict: AnalysisRunStatus['verdict'], continueAfterPass = false) => {
      const status: AnalysisRunStatus = { ...abortedStatus(aRun(), NOW), verdict }
      return isInterrupted(aRun({ status }), { continueAfterPass })
    }
    expect([ended('Aborted'), ended('Pass', true)]).to.deep.equal([true, true])
    expect([ended('Pass'), ended('Fail', true)]).to.deep.equal([false, false])
    expect(isInterrupted(aRun(), { continueAfterPass: false })).to.equal(false)
  })
})
