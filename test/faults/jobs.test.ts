import { expect } from 'chai'
import { jobsOf, type Result, talliesOf } from './jobs.ts'

const sources = {
  'test/faults/writes.faults.ts': "it('F5: lost', …) it('F6, F16: taken', …)",
  'test/faults/crash-points.faults.ts': "it('F1: killed', …)",
  'test/integration/leader.test.ts': "it('F20: stopped', …)",
}
const aResult = (title: string, hasPassed = true): Result => ({ title, file: 'a.ts', hasPassed })

describe('the jobs of the tests on faults', () => {
  it('are one for each file, and one for the rows among other tests, the longest first', () =>
    expect(jobsOf({ wanted: [], times: 1, sources })).to.deep.equal([
      { files: ['test/faults/crash-points.faults.ts'] },
      { files: ['test/faults/writes.faults.ts'] },
      { files: ['test/integration/leader.test.ts'], grep: '\\bF\\d+\\b' },
    ]))

  it('are those of rows, as often as asked', () => {
    const job = { files: ['test/faults/writes.faults.ts'], grep: '\\b(F5|F16)\\b' }
    expect(jobsOf({ wanted: ['F5', 'F16'], times: 2, sources: { ...sources } })).to.deep.equal([
      ...Array.from({ length: 2 }, () => job),
    ])
  })

  it('are those of files', () =>
    expect(jobsOf({ wanted: ['a.test.ts', 'b.test.ts'], times: 2, sources })).to.deep.equal([
      { files: ['a.test.ts', 'b.test.ts'] },
      { files: ['a.test.ts', 'b.test.ts'] },
    ]))

  it('are refused for a row that no title begins with', () =>
    expect(() => jobsOf({ wanted: ['F5', 'F2'], times: 1, sources })).to.throw('no test is about F2'))

  it('give a row for each run in which all its tests passed', () => {
    const runs = [
      [aResult('writes F6, F16: one'), aResult('writes F6: two', false)],
      [aResult('writes F6, F16: one'), aResult('writes F6: two')],
    ]
    expect(talliesOf(runs)).to.deep.equal([
      { name: 'F6', runs: 2, passed: 1 },
      { name: 'F16', runs: 2, passed: 2 },
      { name: 'a.ts', runs: 2, passed: 1 },
    ])
  })
})
