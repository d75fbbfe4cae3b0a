import { expect } from 'chai'
import {
  applicable,
  defaultTTLSeconds,
  type ExperimentPolicySpec,
  isLive,
  sharesSourcesWith,
  sourceNamespaceOf,
} from '../../../common/api/policy.ts'
import { anExperiment } from '../../builders.ts'
import { aNamespaceView, aPolicy, NOW } from './judged.ts'

const dev = aNamespaceView('dev', { tier: 'dev' })
const shop = aNamespaceView('shop', { tier: 'prod' })
const prod = { matchLabels: { tier: 'prod' } }
const staging = { matchLabels: { tier: 'staging' } }
const policies = (...specs: readonly ExperimentPolicySpec[]) =>
  specs.map((spec, index) => aPolicy(spec, `policy-${index}`))

describe('a policy', () => {
  const selected: Record<string, readonly [spec: ExperimentPolicySpec, applies: boolean]> = {
    'applies everywhere without a selector': [{}, true],
    'applies everywhere with an empty one': [{ namespaceSelector: {} }, true],
    'applies to the namespace of the resource': [{ namespaceSelector: { matchLabels: { tier: 'dev' } } }, true],
    'applies to the namespace of the source': [{ namespaceSelector: prod }, true],
    'applies nowhere else': [{ namespaceSelector: staging }, false],
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

  it('is nothing where no policy has one', () =>
    expect(defaultTTLSeconds(policies({ maxTTLSeconds: 60 }), dev, shop)).to.equal(undefined))
})

describe('sharesSourcesWith', () => {
  const consents: Record<string, readonly [specs: readonly ExperimentPolicySpec[], isShared: boolean]> = {
    'is false without any policy': [[], false],
    'is false where no policy has the field': [[{ maxReplicas: 1 }], false],
    'is true where a policy lists the namespace': [[{ allowSourcesFrom: ['test', 'dev'] }, {}], true],
    'is false where another policy omits it': [[{ allowSourcesFrom: ['dev'] }, { allowSourcesFrom: [] }], false],
    'hears only policies for the namespace of the source': [
      [{ allowSourcesFrom: ['dev'], namespaceSelector: { matchLabels: { tier: 'dev' } } }],
      false,
    ],
    'is not stopped by a policy for other namespaces': [
      [
        { allowSourcesFrom: ['dev'], namespaceSelector: prod },
        { allowSourcesFrom: [], namespaceSelector: staging },
      ],
      true,
    ],
  }
  for (const [sentence, [specs, isShared]] of Object.entries(consents))
    it(sentence, () => expect(sharesSourcesWith(policies(...specs), shop, 'dev')).to.equal(isShared))

  it('is true of a namespace itself', () =>
    expect(sharesSourcesWith(policies({ allowSourcesFrom: [] }), shop, 'shop')).to.equal(true))
})

describe('sourceNamespaceOf', () => {
  it('is the own namespace of a resource unless it names another', () => {
    expect(sourceNamespaceOf(anExperiment())).to.equal('shop')
    const sourceRef = { kind: 'Deployment', name: 'cart', namespace: 'dev' }
    expect(sourceNamespaceOf(anExperiment({ sourceRef }))).to.equal('dev')
  })
})

describe('isLive', () => {
  it('is true until an experiment expires or is deleted', () => {
    const metadata = { creationTimestamp: '2026-11-21T11:00:00Z' }
    expect(isLive(anExperiment({ metadata }), NOW)).to.equal(true)
    expect(isLive(anExperiment({ metadata, ttlSeconds: 3_601 }), NOW)).to.equal(true)
    expect(isLive(anExperiment({ metadata, ttlSeconds: 3_600 }), NOW)).to.equal(false)
    expect(isLive(anExperiment({ metadata: { ...metadata, deletionTimestamp: 'now' } }), NOW)).to.equal(false)
  })
})
