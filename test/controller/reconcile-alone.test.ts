import { expect } from 'chai'
import { reconciler } from '../../controller/reconcile.ts'
import { aDeployment, anExperiment, aPolicy, FORK } from '../builders.ts'
import { trafficOf } from '../common/describe/described.ts'
import { recordingCluster } from '../fakes/recording-cluster.ts'

/** A ready experiment beside three pods of its source. */
async function settled() {
  const traffic = trafficOf(3, FORK, 1)
  const story = recordingCluster({ experiment: anExperiment(), source: aDeployment(), traffic })
  let now = Date.parse('2026-11-21T10:00:00Z')
  const pass = () => reconciler(story.cluster, () => new Date(now))('shop/faster-cart')
  await pass()
  story.forkBecomesReady()
  await pass()
  /** What a pass writes after so many seconds, and when it wants the next. */
  const passAfter = async (seconds: number) => {
    now += seconds * 1_000
    const from = story.diary.length
    const requeue = await pass()
    return [...story.diary.slice(from), requeue]
  }
  return { ...story, passAfter }
}

describe('an experiment whose source has no ready pod any more', () => {
  it('S13: is told after ten seconds, and keeps its pods', async () => {
    const { passAfter, world } = await settled()
    world.traffic = trafficOf(0, FORK, 1)
    const status = 'status Ready=True Available SourceResolved TrafficShared'
    expect(await passAfter(0)).to.deep.equal([status, { afterMs: 10_000 }])
    expect(await passAfter(9)).to.deep.equal([{ afterMs: 1_000 }])
    expect(await passAfter(1)).to.deep.equal([status, 'event Warning AloneBehindService', 'never'])
    expect(world.experiment?.status?.warnings).to.deep.equal([
      {
        reason: 'AloneBehindService',
        message: 'no other ready endpoint in service/cart: the fork gets all requests',
      },
    ])
    expect(await passAfter(60)).to.deep.equal(['never'])
    world.traffic = trafficOf(3, FORK, 1)
    expect(await passAfter(0)).to.deep.equal([status, 'never'])
    expect(world.experiment?.status).to.not.have.any.keys('warnings', 'aloneSince')
  })

  it('S13: is not told of a gap of some seconds, as in an update of the source', async () => {
    const { passAfter, world, diary } = await settled()
    world.policies = [aPolicy({ aloneBehindService: 'Deny' })]
    const from = diary.length
    for (let round = 0; round < 5; round += 1) {
      world.traffic = trafficOf(0, FORK, 1)
      await passAfter(0)
      await passAfter(9)
      world.traffic = trafficOf(1, FORK, 1)
      await passAfter(2)
    }
    const status = 'status Ready=True Available SourceResolved TrafficShared'
    expect(new Set(diary.slice(from))).to.deep.equal(new Set([status]))
  })

  it('S13: loses its pods under a policy that forbids it, and gets them back by itself', async () => {
    const { passAfter, world, forkBecomesReady } = await settled()
    world.policies = [aPolicy({ aloneBehindService: 'Deny' })]
    world.traffic = trafficOf(0, FORK, 1)
    await passAfter(0)
    expect((await passAfter(10)).slice(0, -1)).to.deep.equal([
      `apply Deployment ${FORK}`,
      'status Ready=False AloneBehindService Progressing SourceResolved',
      'event Warning AloneBehindService',
    ])
    world.traffic = trafficOf(0, FORK)
    forkBecomesReady()
    expect(await passAfter(1)).to.include('status Ready=False AloneBehindService SourceResolved')
    expect(await passAfter(60)).to.deep.equal(['never'])
    expect(world.experiment?.status).to.deep.include({ pods: '0/0' })
    world.traffic = trafficOf(2, FORK)
    expect(await passAfter(5)).to.deep.include.members([
      `apply Deployment ${FORK}`,
      'status Ready=False Updating Progressing SourceResolved',
    ])
    forkBecomesReady()
    expect(await passAfter(1)).to.include('status Ready=True Available SourceResolved')
    expect(world.repairs).to.equal(0)
    expect(world.experiment?.status?.warnings).to.equal(undefined)
  })
})
