import { expect } from 'chai'
import {
  applicable,
  countScopeOf,
  defaultTTLSeconds,
  type ExperimentPolicySpec,
} from '../../../common/policy/policy.ts'
import { aNamespaceView, aPolicy } from './policy-input.ts'

const dev = aNamespaceView('dev', { tier: 'dev' })
const shop = aNamespaceView('shop', { tier: 'prod' })
const prod = { matchLabels: { tier: 'prod' } }
const staging = { matchLabels: { tier: 'staging' } }
const policies = (...specs: readonly ExperimentPolicySpec[]) =>
  specs.map((spec, index) => aPolicy(spec, `policy-${index}`))

describe('applicable', () => {
  const selected: Record<string, readonly [spec: ExperimentPolicySpec, applies: boolean]> = {
    'selects a policy without a selector': [{}, true],
    'selects a policy with an empty selector': [{ namespaceSelector: {} }, true],
    'selects a policy for the namespace of the experiment': [
      { namespaceSelector: { matchLabels: { tier: 'dev' } } },
      true,
    ],
    'selects a policy for the namespace of the source': [{ namespaceSelector: prod }, true],
    'does not select a policy for another namespace': [{ namespaceSelector: staging }, false],
  }
  for (const [sentence, [spec, applies]] of Object.entries(selected))
    it(sentence, () => expect(applicable(policies(spec), dev, shop)).to.have.length(applies ? 1 : 0))
})

describe('defaultTTLSeconds', () => {
  it('is the smallest of the policies that apply', () => {
    const all = policies(
      { defaultTTLSeconds: 7_200 },
      { defaultTTLSeconds: 3_600, namespaceSelector: prod },
      { defaultTTLSeconds: 60, namespaceSelector: staging },
      {},
    )
    expect(defaultTTLSeconds(all, dev, shop)).to.equal(3_600)
    expect(defaultTTLSeconds(all, dev, dev)).to.equal(7_200)
  })

  it('is undefined if no policy has one', () =>
    expect(defaultTTLSeconds(policies({ maxTTLSeconds: 60 }), dev, shop)).to.equal(undefined))
})

describe('countScopeOf', () => {
  const scopes: Record<string, readonly [spec: ExperimentPolicySpec, source: boolean, namespace: boolean]> = {
    'counts nothing if no policy limits a number': [{ maxReplicas: 1, maxTTLSeconds: 60 }, false, false],
    'counts the experiments of the source for maxExperimentsPerSource': [{ maxExperimentsPerSource: 1 }, true, false],
    'counts the experiments of the source for maxShare': [{ maxShare: '10%' }, true, false],
    'counts the experiments of the namespace': [{ maxExperimentsPerNamespace: 0 }, false, true],
  }
  for (const [sentence, [spec, source, namespace]] of Object.entries(scopes))
    it(sentence, () => expect(countScopeOf(policies({}, spec))).to.deep.equal({ source, namespace }))
})
