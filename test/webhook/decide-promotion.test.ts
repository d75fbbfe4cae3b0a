import { expect } from 'chai'
import { COMMAND } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aRequest, aService, linesOf, validatorDeps } from './reviews.ts'

const SCHEMA = deploymentSchema()
const REFUSAL = 'deployment/cart selects its pods by this label'

/** How many lines of the answer refuse the promotion of a label. */
async function refusals(object: ExperimentDeployment, oldObject: ExperimentDeployment): Promise<number> {
  const { kube } = aReader([aDeployment(), aService()])
  const lines = linesOf(await validator(validatorDeps(kube, SCHEMA))(aRequest({ object, oldObject })))
  return lines.filter((line) => line.includes(REFUSAL)).length
}

describe('the decision on a promotion that the source cannot take', () => {
  const strategy = { canary: {} }
  const overrideSpec = { template: { metadata: { labels: { app: 'other' } } } }
  const without = anExperiment({ overrideSpec, strategy })
  const promoted = anExperiment({ overrideSpec, strategy, promotion: {} })

  it('refuses it when the promotion is added', async () => expect(await refusals(promoted, without)).to.equal(1))

  it('refuses it when the override is changed', async () =>
    expect(await refusals(promoted, anExperiment({ strategy, promotion: {} }))).to.equal(1))

  it('refuses the command "promote" to an experiment whose spec does not speak of a promotion', async () => {
    const saying = (annotations: Record<string, string>) => ({
      ...without,
      metadata: { ...without.metadata, annotations },
    })
    expect(await refusals(saying({ [COMMAND]: 'promote' }), without)).to.equal(1)
    expect(await refusals(saying({ [COMMAND]: 'pause' }), without)).to.equal(0)
    expect(await refusals(saying({ [COMMAND]: 'promote', a: 'b' }), saying({ [COMMAND]: 'promote' }))).to.equal(0)
  })

  it('allows it without a promotion, and an update that changes neither', async () => {
    expect(await refusals(without, anExperiment({ strategy }))).to.equal(0)
    expect(await refusals({ ...promoted, metadata: { ...promoted.metadata, labels: { a: 'b' } } }, promoted)).to.equal(
      0,
    )
  })
})
