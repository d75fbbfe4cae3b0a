import { expect } from 'chai'
import { type ValidatorDeps, validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aRequest, aService, linesOf, validatorDeps } from './reviews.ts'

const SCHEMA = deploymentSchema()

/** The lines of the answer about `spec.analysis`. */
async function answerTo(installed: Partial<ValidatorDeps>): Promise<readonly string[]> {
  const { kube } = aReader([aDeployment(), aService()])
  const review = validator({ ...validatorDeps(kube, SCHEMA), ...installed })
  const lines = linesOf(await review(aRequest({ object: anExperiment({ analysis: {} }) })))
  return lines.filter((line) => line.includes('analysis'))
}

describe('the decision on an experiment with an analysis', () => {
  it('refuses it without the component', async () => {
    for (const installed of [{}, { isAnalysisInstalled: false, isGateInstalled: true }])
      expect((await answerTo(installed)).join()).to.include(
        'spec.analysis: this installation has no component "analysis"; remove it, or ask an administrator',
      )
  })

  it('admits it with the component', async () =>
    expect(await answerTo({ isAnalysisInstalled: true })).to.deep.equal([]))
})
