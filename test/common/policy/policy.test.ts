import { expect } from 'chai'
import {
  applicable,
  countScopeOf,
  defaultTTLSeconds,
  type ExperimentPolicySpec,
  isExcludedNamespace,
  refusingConsent,
  servedNamespaces,
  sharesSourcesWith,
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

const NAMES = ['kube-system', 'ops', 'shop', 'kube-public']

describe('S12: isExcludedNamespace', () => {
  it('S12: excludes kube-system and the namespace of the product itself', () => {
    const excluded = NAMES.map((name) => isExcludedNamespace(name, { ownNamespace: 'ops' }))
    expect(excluded).to.deep.equal([true, true, false, false])
  })

  it('excludes all namespaces but one if the installation serves only one', () => {
    const excluded = NAMES.map((name) => isExcludedNamespace(name, { ownNamespace: 'ops', onlyNamespace: 'shop' }))
    expect(excluded).to.deep.equal([true, true, false, true])
  })
})

describe('installation', () => {
  it('serves all namespaces, or one', () => {
    expect(servedNamespaces('ops', undefined)).to.deep.equal({ ownNamespace: 'ops', onlyNamespace: undefined })
    expect(servedNamespaces('ops', 'shop')).to.deep.equal({ ownNamespace: 'ops', onlyNamespace: 'shop' })
  })

  for (const name of ['ops', 'kube-system'])
    it(`refuses ${name}, where no webhook reviews experiments`, () =>
      expect(() => servedNamespaces('ops', name)).to.throw(
        `must not be kube-system or the namespace of the pod, found "${name}"`,
      ))

  for (const name of ['shop,bank', '*', 'a/b', 'x'.repeat(64)])
    it(`refuses ${name}, which is no name`, () =>
      expect(() => servedNamespaces('ops', name)).to.throw('WATCH_NAMESPACE must be the name of a namespace'))
})

describe('sharesSourcesWith', () => {
  const consents: Record<string, readonly [specs: readonly ExperimentPolicySpec[], isShared: boolean]> = {
    'is false without any policy': [[], false],
    'is false where no policy has allowSourcesFrom': [[{ maxReplicas: 1 }], false],
    'is true where a policy lists the namespace': [[{ allowSourcesFrom: ['test', 'dev'] }, {}], true],
    'is false where another policy omits it': [[{ allowSourcesFrom: ['dev'] }, { allowSourcesFrom: [] }], false],
    'ignores policies for other namespaces than that of the source': [
      [{ allowSourcesFrom: ['dev'], namespaceSelector: { matchLabels: { tier: 'dev' } } }],
      false,
    ],
    'is true where only a policy for another namespace omits it': [
      [
        { allowSourcesFrom: ['dev'], namespaceSelector: prod },
        { allowSourcesFrom: [], namespaceSelector: staging },
      ],
      true,
    ],
  }
  for (const [sentence, [specs, isShared]] of Object.entries(consents))
    it(sentence, () => expect(sharesSourcesWith(policies(...specs), shop, 'dev')).to.equal(isShared))

  it('is always true of the namespace of the source itself', () =>
    expect(sharesSourcesWith(policies({ allowSourcesFrom: [] }), shop, 'shop')).to.equal(true))
})

describe('refusingConsent', () => {
  it('names the policies that share sources, but not with this namespace', () => {
    const all = policies(
      { allowSourcesFrom: ['dev'] },
      { allowSourcesFrom: ['test'] },
      { maxReplicas: 1 },
      { allowSourcesFrom: [], namespaceSelector: staging },
    )
    expect(refusingConsent(all, shop, 'dev').map(({ metadata }) => metadata.name)).to.deep.equal(['policy-1'])
  })
})
