import { expect } from 'chai'
import { jobsOf, type Result, talliesOf, tallyLine } from './jobs.ts'

const sources = {
  'test/faults/leader.faults.ts': "it('F18: released', …)",
  'test/faults/restart.faults.ts': "it('F33: writes nothing', …)",
  'test/faults/writes.faults.ts': "import { sideBySide } from './side-by-side.ts' … 'F5: lost', 'F6, F16: taken'",
  'test/faults/blue-green-traffic.faults.ts': "it('F40: at most 2 s', …)",
  'test/faults/canary-quiet.faults.ts': "it('F38: nothing is written', …)",
  'test/faults/crash-points.faults.ts':
    "import { killedAnywhere } from './crash/declare.ts' … 'F1: killed', … row: 'F4', …",
  'test/integration/leader.test.ts': "it('F20: stopped', …)",
  'test/load/serving.test.ts': "it('F32: many calls', …)",
}
const aResult = (title: string, is: Result['is'] = 'passed'): Result => ({ title, file: 'a.ts', is })

describe('the jobs of the tests on faults', () => {
  it('are one for each file, and two for the rows among other tests, the longest first', () =>
    expect(jobsOf({ wanted: [], times: 1, sources })).to.deep.equal([
      { files: ['test/faults/crash-points.faults.ts'], times: 1, runs: 'busy' },
      { files: ['test/faults/restart.faults.ts'], times: 1, runs: 'busy' },
      { files: ['test/faults/canary-quiet.faults.ts'], times: 1, runs: 'busy' },
      { files: ['test/integration/leader.test.ts'], grep: '\\bF\\d+\\b', times: 1, runs: 'busy' },
      { files: ['test/faults/leader.faults.ts'], times: 1, runs: 'busy' },
      { files: ['test/faults/writes.faults.ts'], times: 1, runs: 'waiting' },
      { files: ['test/faults/blue-green-traffic.faults.ts'], times: 1, runs: 'alone' },
      { files: ['test/load/serving.test.ts'], grep: '\\bF\\d+\\b', times: 1, runs: 'alone' },
    ]))

  it('are those of rows, as often as asked, in one job if the file repeats its tests itself', () =>
    expect(jobsOf({ wanted: ['F5', 'F16', 'F20'], times: 2, sources })).to.deep.equal([
      { files: ['test/integration/leader.test.ts'], grep: '\\b(F20)\\b', times: 1, runs: 'busy' },
      { files: ['test/integration/leader.test.ts'], grep: '\\b(F20)\\b', times: 1, runs: 'busy' },
      { files: ['test/faults/writes.faults.ts'], grep: '\\b(F5|F16)\\b', times: 2, runs: 'waiting' },
    ]))

  it('are those of a row that a file gives to its scenarios', () =>
    expect(jobsOf({ wanted: ['F4'], times: 1, sources })).to.deep.equal([
      { files: ['test/faults/crash-points.faults.ts'], grep: '\\b(F4)\\b', times: 1, runs: 'busy' },
    ]))

  it('kill a controller at all its writes five times in one job, and in the last job as often as is left', () =>
    expect(jobsOf({ wanted: ['F4'], times: 12, sources }).map(({ times }) => times)).to.deep.equal([5, 5, 2]))

  it('are those of files', () =>
    expect(jobsOf({ wanted: ['a.test.ts', 'b.test.ts'], times: 2, sources })).to.deep.equal(
      ['a.test.ts', 'a.test.ts', 'b.test.ts', 'b.test.ts'].map((file) => ({
        files: [file],
        times: 1,
        runs: 'busy',
      })),
    ))

  it('are refused for a row that no title begins with', () =>
    expect(() => jobsOf({ wanted: ['F5', 'F2'], times: 1, sources })).to.throw('no test is about F2'))

  it('count a title that occurs again as another run', () =>
    expect(talliesOf([[aResult('F5: one'), aResult('F5: two'), aResult('F5: one', 'failed')]])).to.deep.equal([
      { name: 'F5', runs: 2, passed: 1, skipped: 0 },
      { name: 'a.ts', runs: 2, passed: 1, skipped: 0 },
    ]))

  it('give a row for each run in which all its tests passed', () => {
    const runs = [
      [aResult('writes F6, F16: one'), aResult('writes F6: two', 'failed')],
      [aResult('writes F6, F16: one'), aResult('writes F6: two')],
    ]
    expect(talliesOf(runs)).to.deep.equal([
      { name: 'F6', runs: 2, passed: 1, skipped: 0 },
      { name: 'F16', runs: 2, passed: 2, skipped: 0 },
      { name: 'a.ts', runs: 2, passed: 1, skipped: 0 },
    ])
  })

  it('tell of a row that all its tests were skipped, or how many', () => {
    const runs = [
      [aResult('F39: one', 'skipped'), aResult('F39: two', 'skipped'), aResult('F40: one')],
      [aResult('F40: one'), aResult('F40: two', 'skipped')],
    ]
    expect(talliesOf(runs).map(tallyLine)).to.deep.equal([
      'F39: skipped',
      'F40: 2 of 2, 1 skipped',
      'a.ts: 2 of 2, 3 skipped',
    ])
  })
})
