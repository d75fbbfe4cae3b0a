import { expect } from 'chai'
import { REVIEWED_TEMPLATE } from '../../../common/api/names.ts'
import { aDeployment, anExperiment, aRollout } from '../../builders.ts'
import { aController, PATHS, stored } from '../quiet-controller.ts'

const workloadRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'base' }
const metadata = { annotations: { [REVIEWED_TEMPLATE]: 'Deployment/base' } }

describe('R9: a Rollout whose template does not exist', () => {
  /** A controller with an experiment on a Rollout that refers to a missing Deployment. */
  async function missing() {
    const world = aController({
      [PATHS.experiment]: stored(anExperiment({ metadata, sourceRef: { kind: 'Rollout', name: 'cart' } })),
      [`${PATHS.rollouts}/cart`]: stored(aRollout({ workloadRef })),
    })
    await world.controller.start()
    world.controller.lead()
    await world.pass(1_000)
    expect(world.condition('Ready')?.reason).to.equal('SourceTemplateNotFound')
    return world
  }

  it('is read ever less often, down to once a minute', async () => {
    const { server, controller, pass } = await missing()
    const readsIn = async (forMs: number) => {
      server.requests.length = 0
      await pass(forMs)
      return server.requests.filter((request) => request === `get ${PATHS.rollouts}/cart`).length
    }
    expect(await readsIn(60_000)).to.be.at.most(6)
    await pass(240_000)
    expect(await readsIn(600_000)).to.equal(10)
    await controller.stop()
  })

  it('is read at once when the Deployment that it refers to is created', async () => {
    const { server, controller, pass, condition } = await missing()
    await pass(300_000)
    server.put(`${PATHS.deployments}/base`, aDeployment({ name: 'base' }))
    await pass(0)
    // the schema of Rollouts is missing here, but not the template any more
    expect(condition('Ready')?.reason).to.equal('SchemaNotAvailable')
    await controller.stop()
  })
})
