import { expect } from 'chai'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { type ValidatorDeps, validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, installing } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aRequest, aService, linesOf, validatorDeps } from './reviews.ts'

const SCHEMA = deploymentSchema()
const REFUSAL = 'spec.traffic.mode: this installation has no component "gate"'

/** How many lines of the answer say that the component is missing. */
async function refusals(object: ExperimentDeployment, installed: Partial<ValidatorDeps>): Promise<number> {
  const { kube } = aReader([aDeployment(), aService()])
  const review = validator({ ...validatorDeps(kube, SCHEMA), ...installed })
  return linesOf(await review(aRequest({ object }))).filter((line) => line.includes(REFUSAL)).length
}

describe('the decision on a gated experiment', () => {
  const gated = anExperiment({ strategy: { canary: {} }, traffic: { mode: 'Gated' } })

  it('refuses it without the component', async () => {
    expect(await refusals(gated, {})).to.equal(1)
    expect(await refusals(gated, { installed: installing('promotion') })).to.equal(1)
  })

  it('admits it with the component', async () =>
    expect(await refusals(gated, { installed: installing('gate') })).to.equal(0))
})
