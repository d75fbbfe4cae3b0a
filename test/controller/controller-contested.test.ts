import { expect } from 'chai'
import { at } from '../../common/json/json.ts'
import { replicasOf } from '../../common/workload/status.ts'
import { AVAILABLE, aQuietController, type ControllerWorld, PATHS } from '../fakes/controller.ts'

const MINUTE_MS = 60_000
const EVENTS = '/apis/events.k8s.io/v1/namespaces/shop/events'

/** For a second, the Deployment controller: pods come and go one by one, and are ready a moment later. */
async function podsFollow({ at: find, change, pass }: ControllerWorld): Promise<void> {
  const wanted = replicasOf(find(PATHS.fork))
  const present = Number(at(find(PATHS.fork), 'status', 'replicas'))
  const replicas = present + Math.sign(wanted - present)
  for (const ready of replicas === present ? [] : [Math.min(present, replicas), replicas]) {
    await pass(250)
    const counts = { replicas, updatedReplicas: replicas, readyReplicas: ready, availableReplicas: ready }
    change(PATHS.fork, () => ({ status: { ...AVAILABLE, ...counts } }))
  }
  await pass(replicas === present ? 1_000 : 500)
}

/** An autoscaler wants three pods, and looks every 15 s. */
async function isScaled(world: ControllerWorld, forMs: number): Promise<void> {
  for (let passed = 0; passed < forMs; passed += 15_000) {
    const fork = world.at(PATHS.fork)
    if (replicasOf(fork) !== 3)
      world.change(PATHS.fork, ({ metadata: { generation = 0, ...metadata }, spec }) => ({
        metadata: { ...metadata, generation: generation + 1 },
        spec: { ...(spec as object), replicas: 3 },
      }))
    for (let seconds = 0; seconds < 15; seconds += 1) await podsFollow(world)
  }
}

describe('R17: a fork that an autoscaler scales', () => {
  it('is told once, its status follows the pods at their pace, and both recover when it ends', async () => {
    const world = await aQuietController()
    const { server, controller, condition } = world
    server.diary.length = 0
    await isScaled(world, 4 * MINUTE_MS)
    const counted = (request: string) => server.diary.filter((each) => each === request).length
    expect(counted(`apply ${PATHS.fork}`)).to.be.at.least(8)
    expect(counted(`apply ${PATHS.experiment}/status`)).to.be.at.most(40) // as often as pods come and go, and at most every 5 s
    expect(counted(`create ${EVENTS}`)).to.be.at.most(8) // of the first two repairs, too
    const reasons = server.all(EVENTS).map(({ reason }) => reason)
    expect(reasons.filter((reason) => reason === 'Contested')).to.have.length(1)
    expect(condition('Ready')?.reason).to.equal('Contested')
    for (let seconds = 0; seconds < 180; seconds += 1) await podsFollow(world)
    expect(condition('Ready')?.reason).to.equal('Available')
    await controller.stop()
  })
})
