import { expect } from 'chai'
import fc from 'fast-check'
import '../../property.ts'
import { play, schedules } from './lease-schedule.ts'

const RUNS = { numRuns: Number(process.env.RUNS ?? 100) }

describe('of several processes that want one Lease, under any schedule of delays and mishaps', function () {
  this.timeout(120_000)

  it('F19, F21: at most one holds it at a time, and one does in the end, although clocks differ by up to 40 %', () =>
    fc.assert(
      fc.asyncProperty(schedules(0.85, 1.18), async (schedule) => {
        const won = await play(schedule, (winner, others) => {
          expect(winner.leader.held()).to.equal(true)
          expect(others.filter(({ leader }) => leader.held())).to.have.length(0)
        })
        expect(won).to.deep.equal({ most: 1, last: 1 })
      }),
      RUNS,
    ))

  it('the writes of one have ended when another begins, if clocks differ by less than 7 %', () =>
    fc.assert(
      fc.asyncProperty(schedules(0.97, 1.03), async (schedule) => {
        await play(schedule, (_, others) => {
          for (const { leader } of others) expect(leader.leftMs()).to.be.at.most(0)
        })
      }),
      RUNS,
    ))
})
