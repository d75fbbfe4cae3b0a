import { expect } from 'chai'
import { livenessChecks } from '../../controller/liveness.ts'

/** What the checks find after these times without progress. */
const found = (idleMs: number, longestPassMs: number, electionMs: number) =>
  Object.values(
    livenessChecks({ heartbeat: { idleMs }, controller: { longestPassMs }, leader: { idleMs: electionMs } }),
  ).map((check) => check())

describe('the checks of /livez', () => {
  it('pass as long as there may be progress', () =>
    expect(found(10_000, 120_000, 30_000)).to.deep.equal([undefined, undefined, undefined]))

  it('fail when something takes too long, and say what', () => {
    expect(found(10_600, 121_000, 31_000)).to.deep.equal([
      'blocked for 11 s',
      'a pass has been running for 121 s',
      'no leader election step for 31 s',
    ])
  })
})
