import { expect } from 'chai'
import type { KubeErrorKind } from '../../common/api/failure.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { APPS_V1 } from '../common/schema/openapi.ts'
import { aController, PATHS, stored } from '../fakes/controller.ts'

const MINUTE_MS = 60_000
/** Our rule: it must be less than the deadline, which is 600 s by default. */
const DOUBTFUL = { minReadySeconds: 700 }
const SAID = 'spec.minReadySeconds: Invalid value: 700: must be less than progressDeadlineSeconds'

/** A controller with an experiment whose override our rules refuse. The API server refuses its fork with `kind`. */
async function aWorld(kind?: KubeErrorKind) {
  const world = aController({ [PATHS.experiment]: stored(anExperiment({ overrideSpec: DOUBTFUL })) })
  const request = world.server.request.bind(world.server)
  let tries = 0
  world.server.request = async (each) => {
    if (each.path !== PATHS.fork || each.verb !== 'apply') return request(each)
    tries += 1
    if (kind) throw new KubeError({ kind, message: SAID })
    return request(each)
  }
  await world.controller.start()
  world.controller.lead()
  await world.pass(1_000)
  return {
    ...world,
    /** How many applies of the fork were sent since the last call. */
    sent: () => {
      const count = tries
      tries = 0
      return count
    },
    override: (overrideSpec: JsonObject) =>
      world.change(PATHS.experiment, ({ metadata, spec }) => ({
        metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
        spec: { ...(spec as object), overrideSpec },
      })),
  }
}

describe('a fork that our rules refuse, and about which the API server decides', () => {
  it('is made if the API server accepts it', async () => {
    const { at, controller, sent } = await aWorld()
    await controller.stop()
    expect([sent(), at(PATHS.fork).spec])
      .to.deep.include(1)
      .and.have.nested.property('[1].minReadySeconds', 700)
  })

  it('A68: is told with the field of the override if the API server refuses it, and not sent again for an hour', async () => {
    const { pass, condition, sent, controller, at } = await aWorld('invalid')
    const told = `spec.overrideSpec.${SAID.slice('spec.'.length)}`
    expect(condition('Ready')).to.deep.include({ reason: 'ApplyRefused', message: told })
    expect(sent()).to.equal(1)
    const { resourceVersion } = at(PATHS.experiment).metadata
    await pass(50 * MINUTE_MS)
    expect([sent(), at(PATHS.experiment).metadata.resourceVersion]).to.deep.equal([0, resourceVersion])
    await pass(11 * MINUTE_MS)
    expect([sent(), condition('Ready')?.message]).to.deep.equal([1, told])
    await controller.stop()
  })

  it('is sent again when the override, the source or the schema has changed', async () => {
    const { pass, change, override, server, sent, controller } = await aWorld('invalid')
    sent()
    override({ minReadySeconds: 800 })
    await pass(1_000)
    expect(sent(), 'override').to.equal(1)
    change(PATHS.source, ({ metadata }) => ({
      ...aDeployment({ image: 'cart:2' }),
      metadata: { ...metadata, generation: 2 },
    }))
    await pass(1_000)
    expect(sent(), 'source').to.equal(1)
    const { Spec, ...others } = APPS_V1.components.schemas
    const properties = { ...(Spec.properties as object), later: { type: 'string' } }
    server.schemas = { hash: 'B', document: { components: { schemas: { ...others, Spec: { ...Spec, properties } } } } }
    await pass(2 * MINUTE_MS)
    expect(sent(), 'schema').to.equal(1)
    await controller.stop()
  })

  it('is sent again each minute where a quota or a webhook refuses it: that may change at any time', async () => {
    const { pass, sent, controller } = await aWorld('forbidden')
    sent()
    await pass(10 * MINUTE_MS + 1_000)
    expect(sent()).to.equal(10)
    await controller.stop()
  })
})
