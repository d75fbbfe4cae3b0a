import { expect } from 'chai'
import type { SpecSchema } from '../../common/override/spec-schema.ts'
import type { ExperimentPolicySpec } from '../../common/policy/policy.ts'
import type { AdmissionRequest } from '../../webhook/review/admission-review.ts'
import { validator } from '../../webhook/validate.ts'
import { reviewPolicy } from '../../webhook/validate-policy.ts'
import { ANY_SCHEMA, aPolicy } from '../builders.ts'
import { DEPLOYMENT, KINDS, STATEFUL_SET } from '../common/policy/kind-shapes.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, linesOf, validatorDeps } from './reviews.ts'

const schemasOf = (kinds: typeof KINDS) => ({
  schemaOf: (kind: string): SpecSchema | undefined => {
    const shape = kinds.find((each) => each.kind === kind)?.shape
    return shape && { ...ANY_SCHEMA, shape }
  },
})
const requestOf = (spec: ExperimentPolicySpec, before?: ExperimentPolicySpec): AdmissionRequest => {
  const stored = before ? { oldObject: { ...aPolicy(before) } } : {}
  return { ...aRequest({ object: { ...aPolicy(spec) }, ...stored }), resource: 'experimentpolicies', namespace: '' }
}
const review = (spec: ExperimentPolicySpec, before?: ExperimentPolicySpec, kinds = KINDS) =>
  reviewPolicy(requestOf(spec, before), schemasOf(kinds))
const denying = (...deniedOverridePaths: readonly string[]) => ({ deniedOverridePaths })

const TYPO = 'template.spec.hostNetwrok'
const FOUND = `"${TYPO}" matches no field; did you mean "template.spec.hostNetwork"?`

describe('S10: the review of a policy', () => {
  it('S10: admits a policy whose paths match fields', () =>
    expect(review(denying('template.spec.hostNetwork'))).to.deep.equal({ is: 'admitted', warnings: [] }))

  it('S10: refuses a path that matches no field, with its kind and name', () => {
    const decision = review(denying('**.hostPath', TYPO))
    expect(decision).to.deep.include({ is: 'invalid', kind: 'ExperimentPolicy', name: 'limits' })
    expect(linesOf(decision)).to.deep.equal([`spec.deniedOverridePaths[1]: ${FOUND}`])
  })

  it('S10: warns of a mistake that the stored policy has too, wherever it is in the list', () => {
    const decision = review({ ...denying('**.hostPath', TYPO), maxReplicas: 1 }, denying(TYPO))
    expect(decision.is).to.equal('admitted')
    expect(linesOf(decision)[0]).to.match(/^\[Policy\] spec\.deniedOverridePaths\[1\]: "template/)
  })

  it('S10: refuses only the new mistake of an update', () => {
    const decision = review(denying(TYPO, 'template.spec.hostPdi'), denying(TYPO))
    expect(linesOf(decision)).to.have.length(1)
    expect(linesOf(decision)[0]).to.contain('hostPdi')
  })

  it('S10: refuses a known mistake in another field', () => {
    const decision = review({ allowedOverridePaths: [TYPO] }, denying(TYPO))
    expect(linesOf(decision)).to.deep.equal([`spec.allowedOverridePaths[0]: ${FOUND}`])
  })

  it('S10: warns where a kind without a schema could have the field', () => {
    const decision = review(denying('strategy.canary'), undefined, [DEPLOYMENT, STATEFUL_SET])
    expect(decision.is).to.equal('admitted')
    expect(linesOf(decision)[0]).to.contain('unless of a Rollout')
  })

  it('S10: admits with a warning while no schema was read', () => {
    const decision = review(denying(TYPO), undefined, [])
    expect(decision.is).to.equal('admitted')
    expect(linesOf(decision)[0]).to.contain('the paths were not checked')
  })

  it('S10: leaves a spec of the wrong type to the CRD', () => {
    const request = { ...requestOf({}), object: { spec: 'none' } }
    expect(reviewPolicy(request, schemasOf(KINDS))).to.deep.equal({ is: 'admitted', warnings: [] })
  })

  it('S10: is the answer of /validate for a policy, without any request to the API server', async () => {
    const { kube, asked, reviews } = aReader([])
    const deps = { ...validatorDeps(kube, undefined), schemas: schemasOf(KINDS) }
    expect(linesOf(await validator(deps)(requestOf(denying(TYPO))))).to.deep.equal([
      `spec.deniedOverridePaths[0]: ${FOUND}`,
    ])
    expect([...asked, ...reviews]).to.deep.equal([])
  })
})
