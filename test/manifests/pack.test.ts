import { expect } from 'chai'
import { REQUESTED_BY, REVIEWED_REPLICAS } from '../../common/api/names.ts'
import { at, isObject, listOr } from '../../common/json/json.ts'
import { brokenRules } from '../../common/override/rules.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { annotationErrors } from '../../webhook/review/defaults-patch.ts'
import { aRequest } from '../webhook/reviews.ts'
import { shipped, shippedOne } from './shipped.ts'

const NAME = 'experiment-deployment-controller'
const policy = () => shippedOne('pack', 'ValidatingAdmissionPolicy', NAME)

/** `{'Deployment': 'apps', ...}` from the variable `name` of the policy. */
function mapOf(name: string): unknown {
  const variables = listOr(at(policy(), 'spec', 'variables')).filter(isObject)
  const text = `${variables.find((variable) => variable.name === name)?.expression}`
  return JSON.parse(/^\{.*\}/.exec(text)?.[0].replaceAll("'", '"') ?? '{}')
}

describe('the pack', () => {
  it('knows every kind that can be forked, by its resource and group', () => {
    const kinds = Object.entries(WORKLOAD_KINDS)
    expect(mapOf('resource')).to.deep.equal(Object.fromEntries(kinds.map(([kind, { plural }]) => [kind, plural])))
    expect(mapOf('group')).to.deep.equal(
      Object.fromEntries(kinds.map(([kind, { apiVersion }]) => [kind, apiVersion.split('/')[0]])),
    )
  })

  it('S: knows the kinds whose templates may be in a ReplicaSet', () => {
    const kept = Object.entries(WORKLOAD_KINDS).filter(([, kind]) => 'keepsTemplatesIn' in kind)
    const variables = listOr(at(policy(), 'spec', 'variables')).filter(isObject)
    expect(variables.find(({ name }) => name === 'needs_replicasets')?.expression).to.equal(
      `object.spec.sourceRef.kind in [${kept.map(([kind]) => `'${kind}'`).join(', ')}]`,
    )
  })

  it('refuses with the messages of the webhook', () => {
    const said = listOr(at(policy(), 'spec', 'validations')).map((validation) => at(validation, 'message'))
    const rules = brokenRules({ overrideSpec: { selector: {}, replicas: 1 } })
    const forged = { metadata: { annotations: { [REQUESTED_BY]: 'somebody', [REVIEWED_REPLICAS]: '300' } } }
    const found = [...rules, ...annotationErrors(aRequest({ object: forged }))]
    expect(found).to.have.lengthOf(4)
    for (const { field, message } of found) expect(said).to.include(`${field}: ${message}`)
  })

  it('refuses as Forbidden, because kubectl prints "is invalid: :" for an Invalid', () =>
    expect(listOr(at(policy(), 'spec', 'validations')).map((validation) => at(validation, 'reason'))).to.deep.equal(
      Array.from({ length: 9 }, () => 'Forbidden'),
    ))

  it('is evaluated for the requests for which the webhook is called', () => {
    const [validating] = listOr(shippedOne('base', 'ValidatingWebhookConfiguration', NAME).webhooks)
    expect(at(policy(), 'spec', 'matchConditions')).to.deep.equal(at(validating, 'matchConditions'))
    const [experiments, policies] = listOr(shippedOne('base', 'ValidatingWebhookConfiguration', NAME).webhooks)
    expect(at(policy(), 'spec', 'matchConstraints', 'resourceRules')).to.deep.equal(at(experiments, 'rules'))
    expect(at(listOr(at(policies, 'rules'))[0], 'resources')).to.deep.equal(['experimentpolicies']) // not in the pack
    expect([at(experiments, 'failurePolicy'), at(policies, 'failurePolicy')]).to.deep.equal(['Fail', 'Ignore'])
  })

  it('denies, in every namespace', () => {
    const binding = shippedOne('pack', 'ValidatingAdmissionPolicyBinding', NAME)
    expect(binding.spec).to.deep.equal({ policyName: NAME, validationActions: ['Deny'] })
    expect(shipped('pack')).to.have.lengthOf(2)
  })
})
