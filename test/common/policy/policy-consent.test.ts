import { expect } from 'chai'
import { type ExperimentPolicySpec, refusingConsent, sharesSourcesWith } from '../../../common/policy/policy.ts'
import { aNamespaceView, aPolicy } from './policy-input.ts'

const shop = aNamespaceView('shop', { tier: 'prod' })
const prod = { matchLabels: { tier: 'prod' } }
const staging = { matchLabels: { tier: 'staging' } }
const policies = (...specs: readonly ExperimentPolicySpec[]) =>
  specs.map((spec, index) => aPolicy(spec, `policy-${index}`))

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
