import { expect } from 'chai'
import fc from 'fast-check'
import type { KubeObject } from '../../../common/api/object.ts'
import { at } from '../../../common/json/json.ts'
import type { LeaseServer } from './lease-server.ts'
import { leading, OTHER, world } from './lease-world.ts'
import '../../property.ts'
import { play, schedules } from './lease-schedule.ts'

describe('a leader', () => {
  it('renews every two seconds', async () => {
    const { leader, time, server } = await leading()
    await time.pass(10_000)
    expect(server.diary).to.deep.equal(Array(5).fill('update me_1'))
    expect(leader.leaseAgeSeconds).to.equal(0)
  })

  it('keeps the Lease although every call takes four seconds', async () => {
    const { leader, time, diary, network } = await leading()
    network.delayMs = 2_000
    for (let seconds = 0; seconds < 120; seconds += 1) {
      await time.pass(1_000)
      expect(leader.held()).to.equal(true)
      if (seconds > 10) expect(leader.leftMs()).to.be.at.most(10_000) // from the start of a renewal, not from its end
    }
    expect(diary).to.have.length(1)
  })

  for (const loses of ['requests', 'answers'] as const)
    it(`F18: loses the Lease 10 s after the start of its last renewal if all ${loses} are lost`, async () => {
      const { leader, time, diary, network } = await leading()
      network.loses = loses
      await time.pass(9_999)
      expect([leader.held(), leader.leftMs()]).to.deep.equal([true, 4_001])
      await time.pass(1)
      expect(diary.slice(1)).to.deep.equal(['lost at 70000, held false'])
      network.loses = 'nothing'
      await time.pass(60_000)
      expect([leader.held(), diary.length, time.pending]).to.deep.equal([false, 2, 0])
    })

  it('goes on if one answer was lost', async () => {
    const { leader, time, diary, network } = await leading()
    network.loses = 'answers'
    await time.pass(2_000)
    network.loses = 'nothing'
    await time.pass(30_000)
    expect([leader.held(), diary.length]).to.deep.equal([true, 1])
  })

  it('goes on if somebody changes the labels of the Lease', async () => {
    const { leader, time, server } = await leading()
    const { metadata, ...rest } = server.lease ?? OTHER
    server.store({ ...rest, metadata: { ...metadata, labels: { team: 'ops' } } })
    await time.pass(2_000)
    expect([leader.held(), server.lease?.metadata.labels]).to.deep.equal([true, { team: 'ops' }])
    expect(server.diary).to.deep.equal(['update me_1', 'get', 'update me_1'])
  })

  const takenAway: Record<string, (server: LeaseServer) => void> = {
    'is deleted': (server) => {
      server.lease = undefined
    },
    'is deleted and created again': (server) => {
      const { metadata: _, ...lease } = server.lease ?? OTHER
      server.store({ ...lease, metadata: { name: 'the-lease' } } as KubeObject)
    },
    'gets another holder': (server) => {
      server.store({ ...(server.lease ?? OTHER), spec: OTHER.spec })
    },
    'gets no holder': (server) => {
      server.store({ ...(server.lease ?? OTHER), spec: {} })
    },
  }
  for (const [what, take] of Object.entries(takenAway))
    it(`F21: has lost when the Lease ${what}, and does not take it back`, async () => {
      const { leader, time, diary, server } = await leading()
      take(server)
      const after = server.lease
      await time.pass(60_000)
      expect(diary.slice(1)).to.deep.equal(['lost at 62000, held false'])
      expect([leader.held(), server.lease]).to.deep.equal([false, after])
    })

  it('gives the Lease back on release, and holds back writes from then on', async () => {
    const { leader, time, server, diary, holder } = await leading()
    const released = leader.release()
    expect(leader.held()).to.equal(false)
    await released
    expect([holder(), at(server.lease, 'spec', 'leaseDurationSeconds')]).to.deep.equal(['', 1])
    await time.pass(60_000)
    expect([diary.length, time.pending, server.diary]).to.deep.equal([1, 0, ['get', 'update (nobody)']])
  })

  it('gives back a Lease that it takes while it is released', async () => {
    const { leader, time, diary, network, holder } = world()
    network.delayMs = 100
    leader.start()
    await time.pass(150)
    expect(holder()).to.equal(undefined)
    await Promise.all([leader.release(), time.pass(2_000)])
    expect([diary, holder()]).to.deep.equal([[], ''])
  })

  it('gives nothing back that it does not hold, and does not start after its release', async () => {
    const { leader, time, server } = world()
    server.store(OTHER)
    leader.start()
    await time.pass(1_000)
    await leader.release()
    leader.start()
    await time.pass(60_000)
    expect(server.diary).to.deep.equal(['get'])
  })

  it('lets the Lease expire if it cannot be given back', async () => {
    const { leader, time, network, log } = await leading()
    network.loses = 'requests'
    await Promise.all([leader.release(), time.pass(5_000)])
    expect(log.lines.at(-1)?.text).to.equal('warn the lease was not given back and expires')
  })
})

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
