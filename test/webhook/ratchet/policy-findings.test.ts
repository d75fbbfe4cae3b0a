import { expect } from 'chai'
import { findingsOf } from '../../../common/outcome/policy-decision.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { type PolicyOutcome, policyOutcome } from '../../../webhook/ratchet/policy-findings.ts'
import { anExperiment, aPolicy, NO_POLICIES } from '../../builders.ts'
import { assess, decidePolicy } from '../../common/of-facts.ts'
import { someFacts } from '../../common/plan/some-facts.ts'

type SpecOf = Parameters<typeof anExperiment>[0]
type Policies = readonly Parameters<typeof aPolicy>[0][]

interface Given {
  readonly policies: Policies
  readonly spec?: SpecOf
  readonly before?: SpecOf
}

/** An experiment of this spec, and the findings of policies on it. */
function judged(policies: Policies, spec: SpecOf) {
  const experiment = anExperiment(spec)
  const facts = someFacts({ experiment, policies: { ...NO_POLICIES, policies: policies.map(aPolicy) } })
  return { spec: experiment.spec, findings: findingsOf(decidePolicy(facts, assess(facts))) }
}

const outcomeOf = ({ policies, spec, before }: Given): PolicyOutcome =>
  policyOutcome(judged(policies, spec), () => before && judged(policies, before))

/** `refused: FIELD` and `warned: WARNING`, in that order. */
const linesOf = (given: Given): readonly string[] => {
  const { errors, warnings } = outcomeOf(given)
  return [
    ...errors.map(({ field, message }) => `refused: ${field}: ${message}`),
    ...warnings.map(({ reason, message }) => `warned: [${reason}] ${message}`),
  ]
}

const beyond = (count: number, max: number) => `spec.replicas: must be at most ${max}, got ${count} (policy "limits")`
const beyondWithTwin = (count: number) =>
  `spec.replicas: needs ${count} pods with the twin, at most 3 are allowed (policy "limits")`
const TWIN = { analysis: { control: 'Twin' } } as const
const TTL = 'spec.ttlSeconds: must be at most 60, got 99 (policy "limits")'

describe('the findings of policies on an update', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'let an experiment shrink that is larger than they allow': [
      { policies: [{ maxReplicas: 3 }], before: { replicas: 9 }, spec: { replicas: 5 } },
      `warned: [Policy] ${beyond(5, 3)}`,
    ],
    'do not excuse another number because one becomes smaller': [
      {
        policies: [{ maxReplicas: 3, maxTTLSeconds: 60 }],
        before: { replicas: 9, ttlSeconds: 30 },
        spec: { replicas: 5, ttlSeconds: 99 },
      },
      `refused: ${TTL}`,
      `warned: [Policy] ${beyond(5, 3)}`,
    ],
    'refuse one that grows': [
      { policies: [{ maxReplicas: 3 }], before: { replicas: 4 }, spec: { replicas: 5 } },
      `refused: ${beyond(5, 3)}`,
    ],
    'refuse the pods that a twin adds, although the number becomes smaller': [
      { policies: [{ maxReplicas: 3 }], before: { replicas: 3 }, spec: { replicas: 2, ...TWIN } },
      `refused: ${beyondWithTwin(4)}`,
    ],
    'refuse them also where the number alone was too large': [
      { policies: [{ maxReplicas: 3 }], before: { replicas: 4 }, spec: { replicas: 3, ...TWIN } },
      `refused: ${beyondWithTwin(6)}`,
    ],
    'let an experiment shrink that has a twin': [
      { policies: [{ maxReplicas: 3 }], before: { replicas: 3, ...TWIN }, spec: { replicas: 2, ...TWIN } },
      `warned: [Policy] ${beyondWithTwin(4)}`,
    ],
    'count an absent number as one': [
      { policies: [{ maxReplicas: 0 }], before: { replicas: 2 }, spec: {} },
      `warned: [Policy] ${beyond(1, 0)}`,
    ],
    'do not call a number smaller that is the default, written out': [
      { policies: [{ maxReplicas: 0 }], before: {}, spec: { replicas: 1 } },
      `refused: ${beyond(1, 0)}`,
    ],
    'only warn about what the stored experiment violates too': [
      {
        policies: [{ maxTTLSeconds: 60 }],
        before: { ttlSeconds: 99 },
        spec: { ttlSeconds: 99, replicas: 2 },
      },
      `warned: [Policy] ${TTL}`,
    ],
    'refuse a create however small it is': [
      { policies: [{ maxReplicas: 3 }], spec: { replicas: 4 } },
      `refused: ${beyond(4, 3)}`,
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(linesOf(given)).to.deep.equal(expected))
})

describe('the action of a finding', () => {
  const spec = { replicas: 5 }
  const cases: Record<string, readonly [ExperimentPolicySpec['validationActions'], object]> = {
    'is to refuse where the policy says nothing': [
      undefined,
      { errors: 1, warnings: 0, audit: undefined, actions: ['Deny'] },
    ],
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
      const { errors, warnings, audit, actions } = outcomeOf({ policies: [policy], spec })
      expect({ errors: errors.length, warnings: warnings.length, audit, actions }).to.deep.equal(expected)
    })

  it('is audited only for policies that audit', () => {
    const policies: Policies = [{ maxReplicas: 3 }, { maxReplicas: 4, name: 'watch', validationActions: ['Audit'] }]
    expect(outcomeOf({ policies, spec }).audit).to.equal('watch: spec.replicas')
  })

  it('is audited in at most 2,048 characters, however many policies there are', () => {
    const policies: Policies = Array.from({ length: 200 }, (_, index) => ({
      name: `policy-${index}`,
      maxReplicas: 3,
      validationActions: ['Audit'],
    }))
    const { audit } = outcomeOf({ policies, spec })
    expect(audit?.length).to.be.within(2_000, 2_048)
    expect(audit).to.match(/^(policy-\d+: spec\.replicas; ){50,}\.\.\.$/)
  })
})

describe('M7: the warning of a finding', () => {
  const warningFor = (paths: readonly string[]) =>
    outcomeOf({
      policies: [{ name: 'shop', allowedOverridePaths: paths, validationActions: ['Warn'] }],
      spec: { overrideSpec: { template: { spec: { hostNetwork: true } } } },
    }).warnings.map(({ message }) => message)
  const POINT = 'spec.overrideSpec.template.spec.hostNetwork: cannot be changed'

  it('has the point, the remedy and the name of the policy, each once', () =>
    expect(warningFor(['replicas'])).to.deep.equal([`${POINT}; allowed paths: replicas (policy "shop")`]))

  it('lacks the remedy where all together would be too long', () => {
    const long = [`template.metadata.annotations["${'a'.repeat(110)}"]`]
    expect(warningFor(long)).to.deep.equal([`${POINT}; allowed paths: ${long} (policy "shop")`])
    const name = 'p'.repeat(100)
    const { warnings } = outcomeOf({
      policies: [{ name, allowedOverridePaths: long, validationActions: ['Warn'] }],
      spec: { overrideSpec: { template: { spec: { hostNetwork: true } } } },
    })
    expect(warnings.map(({ message }) => message)).to.deep.equal([`${POINT} (policy "${name}")`])
  })
})

describe('the findings on the stored experiment', () => {
  it('are not looked for where nothing is denied now, because that costs time', () => {
    const now = judged([{ maxReplicas: 3, validationActions: ['Warn'] }], { replicas: 5 })
    expect(policyOutcome(now, () => expect.fail('judged')).errors).to.deep.equal([])
  })
})
