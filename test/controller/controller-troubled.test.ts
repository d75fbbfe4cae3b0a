import { expect } from 'chai'
import { CR_NAME } from '../../common/api/names.ts'
import { anExperiment } from '../builders.ts'
import { aController, type ControllerWorld, PATHS, stored } from '../fakes/controller.ts'
import { statusWrites } from './crowd.ts'
import { aPodWarning } from './observe/unready-pod.ts'

const EVENTS = '/apis/events.k8s.io/v1/namespaces/shop/events'
const COUNT = 200
const UNREADY = { observedGeneration: 99, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 }

const forksIn = ({ server }: ControllerWorld) =>
  server.all(PATHS.deployments).filter(({ metadata }) => metadata.labels?.[CR_NAME] !== undefined)

/** 200 forks whose pods fail, in a namespace that also has 5,000 Events of other objects. */
async function troubled(): Promise<ControllerWorld> {
  const others = Array.from({ length: 5_000 }, (_, index) => [
    `${EVENTS}/other-${index}`,
    stored({ ...aPodWarning('it is late', '2026-11-21T10:00:00Z', { pod: `job-${index}` }), type: 'Normal' }),
  ])
  const experiments = Array.from({ length: COUNT }, (_, index) => [
    `${PATHS.experiments}/copy-${index}`,
    stored(anExperiment({ metadata: { name: `copy-${index}`, uid: `uid-${index}` } })),
  ])
  const world = aController(Object.fromEntries([...others, ...experiments]))
  await world.controller.start()
  world.controller.lead()
  await world.pass(1_000)
  return world
}

describe('N48: 200 forks of one namespace whose pods fail', () => {
  it('cause at most two lists of Events a minute, and one status that names the cause', async function () {
    this.timeout(600_000) // on a busy machine
    const world = await troubled()
    const at = world.server.clock().toISOString()
    for (const { metadata } of forksIn(world)) {
      world.change(`${PATHS.deployments}/${metadata.name}`, () => ({ status: UNREADY }))
      const pod = `${metadata.name}-7975bcdf7b-6zpv7`
      for (const note of ['Failed to pull image "cart:9": not found', 'Error: ErrImagePull'])
        world.server.put(`${EVENTS}/${pod}.${note.length}`, stored(aPodWarning(note, at, { pod })))
    }
    await world.pass(80_000)
    const messages = Array.from({ length: COUNT }, (_, index) => {
      const { conditions = [] } = world.status(`${PATHS.experiments}/copy-${index}`)
      return conditions.find(({ type }) => type === 'Ready')?.message.replace(/pod\/\S+/, 'pod/NAME:')
    })
    expect(new Set(messages)).to.deep.equal(
      new Set(['0 of 1 pods available; pod/NAME: Failed: Failed to pull image "cart:9": not found']),
    )
    const [written, requests] = [statusWrites(world), world.server.requests.length]
    await world.pass(60_000)
    const lists = world.server.requests.slice(requests).filter((each) => each === `list ${EVENTS}`)
    await world.controller.stop()
    expect(lists.length).to.be.within(1, 2)
    expect(statusWrites(world) - written).to.equal(0)
  })
})
