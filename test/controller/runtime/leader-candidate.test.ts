import { expect } from 'chai'
import { OTHER, world } from './lease-world.ts'

describe('a candidate', () => {
  it('creates the Lease if there is none, and leads at once', async () => {
    const { leader, time, diary, server, log } = world()
    expect([leader.held(), leader.leaseAgeSeconds]).to.deep.equal([false, undefined])
    leader.start()
    await time.pass(0)
    expect([leader.held(), leader.leaseAgeSeconds, leader.leftMs()]).to.deep.equal([true, 0, 14_000])
    expect(diary).to.deep.equal(['won at 0, held true'])
    expect(server.diary).to.deep.equal(['get', 'create me_1'])
    expect(log.lines.map(({ text }) => text)).to.deep.equal(['info leads'])
  })

  it('takes a Lease that stood still for its duration, at that moment', async () => {
    const { leader, time, diary, server } = world()
    server.store(OTHER)
    leader.start()
    await time.pass(14_999)
    expect([diary, leader.held(), leader.leaseAgeSeconds]).to.deep.equal([[], false, 14.999])
    await time.pass(1)
    expect(diary).to.deep.equal(['won at 15000, held true'])
    expect(server.diary.filter((line) => line === 'get')).to.have.length(7)
  })

  it('waits as long as the Lease changes, whatever its times say', async () => {
    const { leader, time, diary, server } = world()
    server.store(OTHER)
    leader.start()
    for (let times = 1; times <= 10; times += 1) {
      await time.pass(10_000)
      server.store({ ...OTHER, spec: { ...(OTHER.spec as object), leaseTransitions: times } })
    }
    await time.pass(15_000) // the last change is seen at the next look
    expect(diary).to.deep.equal([])
    await time.pass(3_000)
    expect(diary).to.have.length(1)
  })

  it('does not take a Lease for one that stood still, if it is again what it was long ago', async () => {
    const { leader, time, diary, server, network } = world()
    const { metadata, spec } = server.store(OTHER)
    leader.start()
    await time.pass(1_000)
    network.loses = 'requests'
    server.store({ ...OTHER, metadata, spec: { ...(spec as object), holderIdentity: 'third_0' } })
    server.store({ ...OTHER, metadata, spec })
    await time.pass(19_000)
    network.loses = 'nothing'
    await time.pass(15_000)
    expect(diary).to.deep.equal([])
  })

  it('takes a Lease that was given back at its next look', async () => {
    const { leader, time, diary, server } = world()
    server.store(OTHER)
    leader.start()
    await time.pass(5_500)
    server.store({ ...OTHER, spec: { holderIdentity: '', leaseDurationSeconds: 1 } })
    await time.pass(2_500)
    expect(diary).to.deep.equal(['won at 7500, held true'])
  })

  it('waits when a Lease is deleted, because its holder may not know yet', async () => {
    const { leader, time, diary, server } = world()
    server.store(OTHER)
    leader.start()
    await time.pass(5_000)
    server.lease = undefined
    await time.pass(17_499)
    expect(diary).to.deep.equal([])
    await time.pass(2_501)
    expect(diary).to.deep.equal(['won at 22500, held true'])
  })

  it('does not lead if another takes the Lease first', async () => {
    const { leader, time, diary, server, network } = world()
    server.store(OTHER)
    leader.start()
    await time.pass(14_000)
    network.delayMs = 100
    await time.pass(1_250)
    server.store({ ...OTHER, spec: { ...(OTHER.spec as object), holderIdentity: 'third_0' } })
    await time.pass(14_000)
    expect(diary).to.deep.equal([])
    expect(server.diary).to.include('update me_1')
  })

  it('does not lead at once by an attempt to create the Lease that arrives after that of another was deleted', async () => {
    const { leader, time, diary, network, server, holder } = world()
    network.loses = 'answers'
    leader.start()
    await time.pass(1_000)
    const ours = server.lease
    server.lease = undefined
    server.store(OTHER)
    network.loses = 'nothing'
    await time.pass(9_000)
    const { metadata: _, ...late } = ours ?? OTHER
    server.store({ ...late, metadata: { name: 'the-lease' } } as typeof OTHER)
    await time.pass(15_000)
    expect([diary, holder()]).to.deep.equal([[], 'me_1'])
    await time.pass(3_000)
    expect(diary).to.have.length(1)
  })

  it('counts from the start of its write', async () => {
    const { leader, time, diary, network, server } = world()
    server.store({ ...OTHER, spec: { holderIdentity: '', leaseDurationSeconds: 1 } })
    network.delayMs = 1_000
    leader.start()
    await time.pass(4_000)
    expect([diary, leader.leftMs()]).to.deep.equal([['won at 4000, held true'], 12_000])
  })

  it('does not lead by an answer that is older than the deadline of a leader', async () => {
    const { leader, time, diary, network, holder } = world()
    network.delayMs = 5_500
    leader.start()
    await time.pass(60_000)
    expect([diary, holder()]).to.deep.equal([[], 'me_1'])
  })

  it('leads at its next look if the answer to its write was lost', async () => {
    const { leader, time, diary, network, server, holder } = world()
    network.loses = 'answers'
    server.lease = undefined
    leader.start()
    await time.pass(3_000)
    expect([diary, holder()]).to.deep.equal([[], 'me_1'])
    network.loses = 'nothing'
    await time.pass(7_000)
    expect(diary).to.have.length(1)
  })

  it('counts as busy while it waits for answers', async () => {
    const { leader, time, network } = world()
    expect(leader.idleMs).to.equal(0)
    network.loses = 'requests'
    leader.start()
    for (let seconds = 0; seconds < 60; seconds += 1) {
      await time.pass(1_000)
      expect(leader.idleMs).to.be.at.most(8_000)
    }
    await Promise.all([leader.release(), time.pass(5_000)])
    expect([leader.idleMs, time.pending]).to.deep.equal([0, 0])
  })
})
