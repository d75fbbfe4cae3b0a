import { expect } from 'chai'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { policyMistakes } from '../../../common/policy/policy-mistakes.ts'
import { KINDS, NO_ROLLOUT } from './kind-shapes.ts'

const linesOf = (policy: ExperimentPolicySpec) =>
  policyMistakes(policy, KINDS).map(({ error: { field, message } }) => `${field}: ${message}`)

describe('S10: policyMistakes', () => {
  it('S10: names every path that matches nothing, allowed or denied, at its field', () => {
    const policy = {
      allowedOverridePaths: ['template.spec.hostPID', 'template.spec.hostPdi'],
      deniedOverridePaths: ['spec.template'],
    }
    expect(linesOf(policy)).to.deep.equal([
      'spec.allowedOverridePaths[1]: "template.spec.hostPdi" matches no field; did you mean "template.spec.hostPID"?',
      'spec.deniedOverridePaths[0]: "spec.template" matches no field; paths begin below spec: template',
    ])
  })

  it('S10: recognizes a mistake in another version of the policy, wherever it is in its list', () => {
    const [one, other] = [['template.x'], ['template', 'template.x']].map(
      (deniedOverridePaths) => policyMistakes({ deniedOverridePaths }, KINDS)[0],
    )
    expect(one?.error.field).not.to.equal(other?.error.field)
    expect(one?.identity).to.equal(other?.identity)
  })

  it('S10: is certain but for paths that a kind without a schema may have', () => {
    const found = policyMistakes({ deniedOverridePaths: ['strategy.canary'] }, [...KINDS.slice(0, 2), NO_ROLLOUT])
    expect(found.map(({ isCertain }) => isCertain)).to.deep.equal([false])
  })

  it('S10: names labels that no namespace can have, where the selector requires them', () => {
    const namespaceSelector = {
      matchLabels: { 'team ': 'shop', team: 'the shop', fine: 'yes' },
      matchExpressions: [
        { key: 'te am', operator: 'Exists' },
        { key: 'te am', operator: 'DoesNotExist' },
        { key: 'team', operator: 'In', values: ['the shop'] },
        { key: 'team', operator: 'In', values: ['the shop', 'shop'] },
        { key: 'team', operator: 'NotIn', values: ['the shop'] },
      ],
    }
    const words = 'letters, digits, "-", "_" and ".", a letter or digit first and last'
    expect(linesOf({ namespaceSelector })).to.deep.equal([
      `spec.namespaceSelector.matchLabels: matches no namespace: expected a name of ${words}, got "team "`,
      `spec.namespaceSelector.matchLabels: matches no namespace: expected ${words}, got "the shop"`,
      `spec.namespaceSelector.matchExpressions[0].key: matches no namespace: expected a name of ${words}, got "te am"`,
      `spec.namespaceSelector.matchExpressions[2].values: matches no namespace: expected ${words}, got "the shop"`,
    ])
  })

  it('S10: names image patterns that no image can match', () => {
    expect(linesOf({ allowedImages: ['registry.example/shop/**', 'registry.example/Shop/cart'] })).to.deep.equal([
      'spec.allowedImages[1]: "registry.example/Shop/cart" matches no image: no image has such a name',
    ])
  })

  it('S10: finds nothing in a policy without such fields', () => expect(linesOf({ maxReplicas: 1 })).to.deep.equal([]))
})
