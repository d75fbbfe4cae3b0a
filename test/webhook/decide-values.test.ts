import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import type { JsonObject } from '../../common/json/json.ts'
import { validator } from '../../webhook/validate.ts'
import { ANY_SCHEMA, aDeployment, anExperiment, aRollout, FORK } from '../builders.ts'
import { writesOf } from '../common/plan/some-facts.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, linesOf, validatorDeps } from './reviews.ts'

const FIELD = 'spec.overrideSpec.minReadySeconds'
const TOLD = `${FIELD}: must be less than progressDeadlineSeconds (600); lower it, or raise that`
const DOUBTFUL = { minReadySeconds: 700 }
const DECIDES = '; the controller applies it, and the API server decides'
const CREATES = `[Plan] creates deployment/${FORK} in shop: 1 pod, from deployment/cart`

interface Given {
  readonly podRules?: 'refuse' | 'warn'
  readonly override?: JsonObject
  readonly before?: JsonObject
  readonly source?: KubeObject
}

/** What a review says about the creation of an experiment, or about an update of its number of pods. */
async function linesFor({ podRules, override = DOUBTFUL, before, source = aDeployment() }: Given) {
  const spec = { sourceRef: { kind: source.kind, name: 'cart' } }
  const deps = validatorDeps(aReader([source, aService()]).kube, ANY_SCHEMA)
  const object = anExperiment({ ...spec, overrideSpec: override })
  const request = before
    ? { object, oldObject: anExperiment({ ...spec, overrideSpec: before, replicas: 2 }) }
    : { object }
  return linesOf(await validator({ ...deps, ...(podRules ? { podRules } : {}) })(aRequest(request)))
}

describe('the decision on a value that the API server refuses according to our rules', () => {
  it('is a refusal', async () => {
    for (const podRules of [undefined, 'refuse'] as const)
      expect(await linesFor({ ...(podRules ? { podRules } : {}) })).to.deep.equal([TOLD])
  })

  it('is a warning where an administrator wants that, with the plan that the controller has', async () => {
    const lines = await linesFor({ podRules: 'warn' })
    expect(lines.slice(0, 2)).to.deep.equal([`[InvalidOverride] ${TOLD}${DECIDES}`, CREATES])
    expect(writesOf({ experiment: anExperiment({ overrideSpec: DOUBTFUL }) })).to.deep.equal(['apply newFork'])
  })

  it('is a warning where the stored experiment has the value already, with the plan that the controller has', async () => {
    const lines = await linesFor({ before: DOUBTFUL })
    expect(lines.slice(0, 2)).to.deep.equal([`[InvalidOverride] ${TOLD}${DECIDES}`, CREATES])
  })

  it('is a refusal all the same where no pod can run with the value', async () => {
    const override = { template: { spec: { containers: [{ name: 'cart', image: 'cart :1' }] } } }
    const [first] = await linesFor({ podRules: 'warn', override })
    expect(first).to.match(/^spec\.overrideSpec\.template\.spec\.containers\[0\]\.image: must be a reference/)
  })

  it('is a refusal all the same for a Rollout, whose pods the API server does not check', async () => {
    const override = { template: { spec: { restartPolicy: 'Never' } } }
    const [first] = await linesFor({ podRules: 'warn', override, source: aRollout() })
    expect(first).to.match(/^spec\.overrideSpec\.template\.spec\.restartPolicy: /)
  })
})
