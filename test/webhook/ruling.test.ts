import { expect } from 'chai'
import type { ExperimentPolicySpec } from '../../common/api/policy.ts'
import { isCounting, type Ruling, ruling } from '../../webhook/policies.ts'
import { anExperiment, aPolicy } from '../builders.ts'
import { anAsked, anUpdate, NO_RULES } from './an-asked.ts'

type SpecOf = Parameters<typeof anExperiment>[0]
type Policies = readonly Parameters<typeof aPolicy>[0][]

interface Given {
  readonly policies: Policies
  readonly spec?: SpecOf
  readonly before?: SpecOf
}

const rulesOf = (policies: Policies) => ({ ...NO_RULES, policies: policies.map(aPolicy) })

const ruled = ({ policies, spec, before }: Given): Ruling =>
  ruling({
    asked: before ? anUpdate(before, spec) : anAsked({ object: anExperiment(spec) }),
    rules: rulesOf(policies),
    isSourceMissing: false,
    forks: undefined,
    formerForks: () => undefined,
    others: [],
    endpoints: undefined,
    now: new Date('2026-11-21T12:00:00Z'),
  })

/** `refused: FIELD` and `told: WARNING`, in that order. */
const told = (given: Given): readonly string[] => {
  const { errors, warnings } = ruled(given)
  return [
    ...errors.map(({ field, message }) => `refused: ${field}: ${message}`),
    ...warnings.map((text) => `told: ${text}`),
  ]
}

const beyond = (count: number, max: number) => `spec.replicas: ${count} is more than ${max} (policy "limits")`
const TTL = 'spec.ttlSeconds: 99 is more than 60 (policy "limits")'

describe('what policies make of an update', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'lets it shrink that is larger than they allow': [
      { policies: [{ maxReplicas: 3 }], before: { replicas: 9 }, spec: { replicas: 5 } },
      `told: [Policy] ${beyond(5, 3)}`,
    ],
    'relieves a smaller number of nothing else': [
      {
        policies: [{ maxReplicas: 3, maxTTLSeconds: 60 }],
        before: { replicas: 9, ttlSeconds: 30 },
        spec: { replicas: 5, ttlSeconds: 99 },
      },
      `refused: ${TTL}`,
      `told: [Policy] ${beyond(5, 3)}`,
    ],
    'refuses one that grows': [
      { policies: [{ maxReplicas: 3 }], before: { replicas: 4 }, spec: { replicas: 5 } },
      `refused: ${beyond(5, 3)}`,
    ],
    'takes no number for one': [
      { policies: [{ maxReplicas: 0 }], before: { replicas: 2 }, spec: {} },
      `told: [Policy] ${beyond(1, 0)}`,
    ],
    'does not call it smaller what is the same, written out': [
      { policies: [{ maxReplicas: 0 }], before: {}, spec: { replicas: 1 } },
      `refused: ${beyond(1, 0)}`,
    ],
    'only tells what they had against the stored resource too': [
      {
        policies: [{ maxTTLSeconds: 60 }],
        before: { ttlSeconds: 99 },
        spec: { ttlSeconds: 99, replicas: 2 },
      },
      `told: [Policy] ${TTL}`,
    ],
    'refuses a create however small it is': [
      { policies: [{ maxReplicas: 3 }], spec: { replicas: 4 } },
      `refused: ${beyond(4, 3)}`,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(told(given)).to.deep.equal(expected))
})

describe('what policies do about a finding', () => {
  const spec = { replicas: 5 }
  const cases: Record<string, readonly [ExperimentPolicySpec['validationActions'], object]> = {
    'is to refuse where they say nothing': [undefined, { errors: 1, warnings: 0, audit: undefined, actions: ['Deny'] }],
    'is to warn': [['Warn'], { errors: 0, warnings: 1, audit: undefined, actions: ['Warn'] }],
    'is to audit': [['Audit'], { errors: 0, warnings: 0, audit: 'limits: spec.replicas', actions: ['Audit'] }],
    'is both to refuse and to audit': [
      ['Deny', 'Audit'],
      { errors: 1, warnings: 0, audit: 'limits: spec.replicas', actions: ['Deny', 'Audit'] },
    ],
  }
  for (const [sentence, [validationActions, expected]] of Object.entries(cases))
    it(sentence, () => {
      const policy = { maxReplicas: 3, ...(validationActions ? { validationActions } : {}) }
      const { errors, warnings, audit, actions } = ruled({ policies: [policy], spec })
      expect({ errors: errors.length, warnings: warnings.length, audit, actions }).to.deep.equal(expected)
    })

  it('is audited of those alone that audit', () => {
    const policies: Policies = [{ maxReplicas: 3 }, { maxReplicas: 4, name: 'watch', validationActions: ['Audit'] }]
    expect(ruled({ policies, spec }).audit).to.equal('watch: spec.replicas')
  })

  it('is audited in 2,048 characters: as many policies as there may be', () => {
    const policies: Policies = Array.from({ length: 200 }, (_, index) => ({
      name: `policy-${index}`,
      maxReplicas: 3,
      validationActions: ['Audit'],
    }))
    const { audit } = ruled({ policies, spec })
    expect(audit).to.have.length(2_048)
    expect(audit?.startsWith('policy-0: spec.replicas; policy-1: spec.replicas; ')).to.equal(true)
  })
})

describe('other experiments', () => {
  const counting: readonly ExperimentPolicySpec[] = [
    { maxShare: '25%' },
    { maxExperimentsPerSource: 2 },
    { maxExperimentsPerNamespace: 2 },
  ]
  for (const policy of counting)
    it(`are counted for ${Object.keys(policy)} alone`, () => {
      expect(isCounting(rulesOf([{ maxReplicas: 3 }, policy]))).to.equal(true)
    })

  it('are not counted where nobody limits their number', () => {
    expect(isCounting(rulesOf([]))).to.equal(false)
    expect(isCounting(rulesOf([{ maxReplicas: 3, maxTTLSeconds: 60 }]))).to.equal(false)
  })

  it('are not counted for a policy on other namespaces', () => {
    const elsewhere = { namespaceSelector: { matchLabels: { team: 'b' } }, maxExperimentsPerSource: 2 }
    expect(isCounting(rulesOf([elsewhere]))).to.equal(false)
  })
})
