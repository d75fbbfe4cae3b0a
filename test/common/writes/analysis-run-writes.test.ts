import { expect } from 'chai'
import { abortedStatus } from '../../../common/analysis/run/ended.ts'
import { deletion, orphanedRunWrites, statusWrite } from '../../../common/writes/analysis-run-writes.ts'
import { aRun, CREATED_MS } from '../analysis/run/runs.ts'

const NOW = new Date(CREATED_MS + 3_600_000)
const RUN = aRun()
const WEEKS = new Date(NOW.getTime() + 8 * 86_400_000)

describe('the writes of analysis runs', () => {
  it('are based on the version of the run, and remove the fields that its status loses', () => {
    const status = abortedStatus(RUN, NOW)
    const write = statusWrite(RUN, status)
    expect(write).to.include({ verb: 'patch', role: 'analysisRun', subresource: 'status' })
    const { uid, resourceVersion = '' } = RUN.metadata
    expect(write).to.have.deep.nested.property('patch.metadata', { uid, resourceVersion })
    expect(write).to.have.nested.property('patch.status.verdict', status.verdict)
    expect(write).to.have.nested.property('patch.status.nextLookAt', null)
  })

  it('of an experiment that is gone end its runs, and delete old records', () => {
    const record = { ...RUN, status: abortedStatus(RUN, NOW) }
    expect(orphanedRunWrites([RUN, record], NOW).map(({ run, write }) => [run === RUN, write.verb])).to.deep.equal([
      [true, 'patch'],
    ])
    expect(orphanedRunWrites([record], WEEKS)).to.deep.equal([{ run: record, write: deletion(record) }])
  })
})
