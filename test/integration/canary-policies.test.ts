import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { canariesIn } from './canaries.ts'
import { aSource, hasEndpoints, usesProduct } from './product.ts'

describe('a canary and policies, on the real control plane', () => {
  const place = usesProduct()
  const { canary, podsOf, shows } = canariesIn(place)
  const policyName = () => `pods-${place().namespace}`
  const aPolicy = (maxReplicas: number) =>
    place().api.create(resourcePath(EXPERIMENT_POLICY), {
      apiVersion: EXPERIMENT_POLICY.apiVersion,
      kind: EXPERIMENT_POLICY.kind,
      metadata: { name: policyName() },
      spec: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': place().namespace } },
        maxReplicas,
        validationActions: ['Deny'],
      },
    })
  afterEach('the policy is gone', () => place().api.delete(resourcePath(EXPERIMENT_POLICY, { name: policyName() })))

  it('A step that needs more pods than a policy allows is refused at its path, at admission', async () => {
    await aSource(place(), 'small', { replicas: 4 })
    await hasEndpoints(place(), 'small', 4)
    await aPolicy(2)
    const manifest = (weight: number) =>
      JSON.stringify({
        apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
        kind: EXPERIMENT_DEPLOYMENT.kind,
        metadata: { name: 'small' },
        spec: {
          sourceRef: { kind: 'Deployment', name: 'small' },
          overrideSpec: {},
          strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: weight }, { pause: {} }] } },
        },
      })
    const refused = await place().kubectl(['apply', '-f', '-'], manifest(50))
    expect(refused.code).to.equal(1)
    expect(refused.text).to.contain('spec.strategy.canary.steps[2].setWeight: needs 4 pods, at most 2 are allowed')
    expect(refused.text).to.contain(policyName())
    const admitted = await place().kubectl(['apply', '-f', '-'], manifest(33))
    expect(admitted.code, admitted.text).to.equal(0)
  })

  it('A later policy stops the run before the step that it forbids, and lets it go on when it is gone', async () => {
    await aSource(place(), 'later', { replicas: 4 })
    await hasEndpoints(place(), 'later', 4)
    await canary('later', [{ setWeight: 20 }, { pause: { duration: 3 } }, { setWeight: 50 }, { pause: {} }])
    await shows('later', '1/7 Paused')
    await aPolicy(1)
    const found = await place().reaches('later', 'PolicyDenied')
    expect(found.status?.strategy?.step).to.equal('2/7 Progressing')
    expect(await podsOf('later')).to.equal(1)
    await place().api.delete(resourcePath(EXPERIMENT_POLICY, { name: policyName() }))
    await shows('later', '3/7 Paused')
    expect(await podsOf('later')).to.equal(4)
  })
})
