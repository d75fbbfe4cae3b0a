import { expect } from 'chai'
import { ABSENT } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import type { OtherExperiment, PolicyFacts } from '../../../common/facts/facts.ts'
import { objectOr } from '../../../common/json/json.ts'
import { policyCompliant } from '../../../common/plan/status.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { aDeployment, anExperiment, aPolicy, FORK, imageOverride, NO_POLICIES } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from '../plan/some-facts.ts'

const CREATED = '2026-11-21T09:00:00Z'

/** One policy with these limits, and `others`. */
const under = (spec: ExperimentPolicySpec, others: readonly OtherExperiment[] = []): PolicyFacts => ({
  ...NO_POLICIES,
  policies: [aPolicy(spec)],
  others,
  othersAsOf: 7,
})

interface OtherOf {
  readonly createdAt?: string
  readonly replicas?: number
}

/** Another experiment on `cart`; with `replicas` it has a fork. */
const anOther = (uid: string, { createdAt = CREATED, replicas }: OtherOf = {}): OtherExperiment => ({
  experiment: anExperiment({ metadata: { uid, name: uid, creationTimestamp: createdAt } }),
  replicas,
})
const self = (of: Parameters<typeof anExperiment>[0] = {}) =>
  anExperiment({ ...of, metadata: { uid: 'm', creationTimestamp: CREATED, ...of.metadata } })

interface Case {
  readonly because: string
  readonly given: Given
  readonly reason: string
  readonly writes: readonly string[]
  readonly compliant: 'True' | 'False' | 'Unknown'
  readonly says?: string
}

const onePlace = (...others: OtherExperiment[]) => under({ maxExperimentsPerSource: 1 }, others)
const three = { experiment: anExperiment({ replicas: 3 }) }
/** An experiment with a converged fork of three pods. */
const forked = (of: Parameters<typeof anExperiment>[0] = {}): Given => ({
  fork: theFork(three),
  experiment: anExperiment({ replicas: 3, status: leftAt(3), ...of }),
})
const traffic = (...pods: string[]) => ({
  services: [{ name: 'cart', selector: { app: 'cart' } }],
  slices: [{ service: 'cart', ready: pods.map((pod) => ({ address: pod, pod })) }],
})

const cases: Record<string, Case> = {
  'creates a fork that violates no policy': {
    because: 'policies only limit',
    given: { policies: under({ maxReplicas: 1 }) },
    reason: 'Updating',
    writes: ['apply newFork'],
    compliant: 'True',
  },
  'creates no fork that a policy denies': {
    because: 'the experiment may be older than the webhook',
    given: { policies: under({ maxReplicas: 1 }), ...three },
    reason: 'PolicyDenied',
    writes: [],
    compliant: 'False',
    says: 'spec.replicas: must be at most 1, got 3 (policy "limits")',
  },
  'creates a fork that violates a policy with Warn only': {
    because: 'Warn refuses nothing',
    given: { policies: under({ maxReplicas: 1, validationActions: ['Warn'] }), ...three },
    reason: 'Updating',
    writes: ['apply newFork'],
    compliant: 'False',
  },
  'creates no fork while it cannot read which policies apply': {
    because: 'a limit that was not read could be violated',
    given: { policies: undefined },
    reason: 'PolicyNotRead',
    writes: [],
    compliant: 'Unknown',
  },
  'keeps a fork that a newer policy denies': {
    because: 'policies delete nothing',
    given: { ...forked(), policies: under({ maxReplicas: 1 }) },
    reason: 'Available',
    writes: [],
    compliant: 'False',
  },
  'does not scale such a fork up': {
    because: 'the webhook does not review the scale subresource',
    given: { ...forked({ replicas: 5 }), policies: under({ maxReplicas: 4 }) },
    reason: 'PolicyDenied',
    writes: [],
    compliant: 'False',
    says: 'must be at most 4, got 5 (policy "limits"); the fork stays as it is, with 3 pods',
  },
  'U3: says in plain English that a fork with one pod stays': {
    because: '"with 1 replicas" is no English',
    given: {
      fork: theFork(),
      experiment: anExperiment({ replicas: 5, status: leftAt(3) }),
      policies: under({ maxReplicas: 4 }),
    },
    reason: 'PolicyDenied',
    writes: [],
    compliant: 'False',
    says: 'the fork stays as it is, with 1 pod',
  },
  'scales such a fork down': {
    because: 'fewer pods are a smaller violation',
    given: { ...forked({ replicas: 2 }), policies: under({ maxReplicas: 1 }) },
    reason: 'Updating',
    writes: ['apply fork'],
    compliant: 'False',
  },
  'scales such a fork down, and changes nothing else that is denied': {
    because: 'fewer pods are allowed, other denied changes are not',
    given: {
      ...forked({ replicas: 1, overrideSpec: imageOverride('cart:denied') }),
      policies: under({ deniedOverridePaths: ['template.spec.containers'] }),
    },
    reason: 'PolicyDenied',
    writes: ['patch fork'],
    compliant: 'False',
  },
  'does not let such a fork follow its source': {
    because: 'every change of a denied fork is denied',
    given: {
      ...forked(),
      source: aDeployment({ image: 'cart:9', metadata: { generation: 2 } }),
      policies: under({ maxReplicas: 1 }),
    },
    reason: 'PolicyDenied',
    writes: [],
    compliant: 'False',
  },
  'waits for a place that an older experiment gets': {
    because: 'the older one is first, with or without a fork',
    given: { experiment: self(), policies: onePlace(anOther('z', { createdAt: '2026-11-21T08:59:59Z' })) },
    reason: 'LimitReached',
    writes: [],
    compliant: 'False',
    says: 'policy "limits"',
  },
  'lets the lower uid go first when both were created in the same second': {
    because: 'every pass must find the same order',
    given: { experiment: self(), policies: onePlace(anOther('a')) },
    reason: 'LimitReached',
    writes: [],
    compliant: 'False',
  },
  'gets a place before a newer experiment': {
    because: 'it is the older one',
    given: { experiment: self(), policies: onePlace(anOther('z')) },
    reason: 'Updating',
    writes: ['reserve', 'apply newFork'],
    compliant: 'True',
  },
  'lets an existing fork of a newer experiment keep its place': {
    because: 'a limit never ends a running experiment',
    given: { experiment: self(), policies: onePlace(anOther('z', { replicas: 1 })) },
    reason: 'LimitReached',
    writes: [],
    compliant: 'False',
  },
  'reserves no second place for a fork that exists': {
    because: 'such limits apply to new forks',
    given: { ...forked(), source: aDeployment({ image: 'cart:9' }), policies: onePlace(anOther('a', { replicas: 1 })) },
    reason: 'Updating',
    writes: ['apply fork'],
    compliant: 'False',
  },
  'creates no fork that would get too much traffic': {
    because: 'the share is enforced when a fork is created',
    given: {
      policies: under({ maxShare: '25%' }, [anOther('a', { replicas: 1 })]),
      traffic: traffic('cart-1', 'cart-2'),
    },
    reason: 'PolicyDenied',
    writes: [],
    compliant: 'False',
    says: '2 of 4 endpoints',
  },
  'counts only other experiments that have pods': {
    because: 'without pods they take no traffic',
    given: { policies: under({ maxShare: '34%' }, [anOther('a')]), traffic: traffic('cart-1', 'cart-2') },
    reason: 'Updating',
    writes: ['reserve', 'apply newFork'],
    compliant: 'True',
  },
  'lets a fork that gets too much traffic follow its source': {
    because: 'a share that is exceeded later is only reported',
    given: {
      ...forked(),
      source: aDeployment({ image: 'cart:9', metadata: { generation: 2 } }),
      policies: under({ maxShare: '1%' }),
      traffic: traffic('cart-1'),
    },
    reason: 'Updating',
    writes: ['apply fork'],
    compliant: 'False',
  },
  'does not report a missing source of a kind that the cluster does not serve': {
    because: 'the kind may be installed later, and until then no source can be created',
    given: { policies: under({ sourceMissing: 'Deny' }), source: undefined, kind: ABSENT },
    reason: 'KindNotAvailable',
    writes: [],
    compliant: 'True',
  },
  'is stalled in a namespace that the webhooks exclude': {
    because: 'no permissions were checked there',
    given: { isExcluded: true },
    reason: 'NamespaceExcluded',
    writes: [],
    compliant: 'True',
  },
}

describe('plan under policies', () => {
  for (const [sentence, { because, given, reason, writes, compliant, says }] of Object.entries(cases))
    it(`${sentence}: ${because}`, () => {
      const { conclusion, ...planned } = plan(someFacts(given))
      const reserved = planned.reservation ? ['reserve'] : []
      expect([...reserved, ...planned.writes.map(({ verb, role }) => `${verb} ${role}`)]).to.deep.equal(writes)
      expect(conclusion.reason).to.equal(reason)
      expect(policyCompliant(conclusion.policy).status).to.equal(compliant)
      if (says) expect(conclusion.message).to.contain(says)
    })

  it('shows no value of a finding that is only audited', () => {
    const { conclusion } = plan(
      someFacts({ ...three, policies: under({ maxReplicas: 1, validationActions: ['Audit'] }) }),
    )
    const { status, message } = policyCompliant(conclusion.policy)
    expect([status, message]).to.deep.equal(['False', 'spec.replicas (policy "limits")'])
  })

  it('names the policies that the experiment complies with', () => {
    const { conclusion } = plan(someFacts({ policies: under({ maxReplicas: 1 }) }))
    expect(policyCompliant(conclusion.policy).message).to.equal('policies: limits')
    expect(policyCompliant(plan(someFacts()).conclusion.policy).message).to.equal('no policy applies')
  })
})

const created = (uid: string, of: Parameters<typeof anExperiment>[0] = {}) =>
  anExperiment({ ...of, metadata: { uid, name: uid, creationTimestamp: CREATED, ...of.metadata } })

/** The reason where another experiment was there first and a policy allows one for the source. */
function reasonBeside(experiment: ExperimentDeployment, replicas?: number): string {
  const others = [{ experiment, replicas }]
  const policies = { ...NO_POLICIES, policies: [aPolicy({ maxExperimentsPerSource: 1 })], others, othersAsOf: 7 }
  return plan(someFacts({ experiment: created('m'), policies })).conclusion.reason
}

describe('another experiment that has ended', () => {
  const deleted = created('a', { metadata: { deletionTimestamp: '2026-11-21T09:30:00Z' } })
  const expired = created('a', { ttlSeconds: 1 })

  it('S3: counts as long as its fork is there, because a finalizer can delay a deletion for any time', () => {
    expect(reasonBeside(deleted, 1)).to.equal('LimitReached')
    expect(reasonBeside(expired, 1)).to.equal('LimitReached')
  })

  it('does not count without a fork', () => {
    expect(reasonBeside(deleted)).to.equal('Updating')
    expect(reasonBeside(expired)).to.equal('Updating')
    expect(reasonBeside(created('a'))).to.equal('LimitReached')
  })
})

/** A fork to which somebody added `hostNetwork`. */
function editedFork(): KubeObject {
  const fork = theFork()
  const { template } = objectOr(fork.spec)
  const fieldsV1 = { 'f:spec': { 'f:template': { 'f:spec': { 'f:hostNetwork': {} } } } }
  const edit = { manager: 'kubectl-edit', operation: 'Update', fieldsV1 }
  const pod = { ...objectOr(objectOr(template).spec), hostNetwork: true }
  return {
    ...fork,
    metadata: { ...fork.metadata, managedFields: [...(fork.metadata.managedFields ?? []), edit] },
    spec: { ...objectOr(fork.spec), template: { ...objectOr(template), spec: pod } },
  }
}

function resultUnder(spec: ExperimentPolicySpec) {
  const policies = { ...NO_POLICIES, policies: [aPolicy(spec)] }
  const facts = someFacts({ fork: editedFork(), experiment: anExperiment({ status: leftAt(3) }), policies })
  const planned = plan(facts)
  const compliant = statusOf(facts, planned.conclusion).conditions?.find(({ type }) => type === 'PolicyCompliant')
  const { reason } = planned.conclusion
  return { writes: planned.writes, reason, said: `${compliant?.status}: ${compliant?.message}` }
}

describe('policies on what somebody added to a fork by hand', () => {
  it('S8: tell a denied field, with its place in the fork, and change nothing', () => {
    const { writes, reason, said } = resultUnder({ deniedOverridePaths: ['template.spec.hostNetwork'] })
    const place = `deployment/${FORK}: spec.template.spec.hostNetwork`
    expect(said).to.equal(`False: ${place}: added by hand: cannot be changed (policy "limits")`)
    expect([writes, reason]).to.deep.equal([[], 'Available'])
  })

  it('S8: tell a field that is not allowed', () =>
    expect(resultUnder({ allowedOverridePaths: ['template.spec.containers[*].image'] }).said).to.contain(
      'spec.template.spec.hostNetwork: added by hand: cannot be changed; allowed paths:',
    ))

  it('S8: find nothing in what they allow', () =>
    expect(resultUnder({ allowedOverridePaths: ['template.spec'], maxReplicas: 3 }).said).to.equal(
      'True: policies: limits',
    ))

  it('S8: show no more than the field where they only audit', () =>
    expect(
      resultUnder({ deniedOverridePaths: ['template.spec.hostNetwork'], validationActions: ['Audit'] }).said,
    ).to.equal(`False: deployment/${FORK}: spec.template.spec.hostNetwork (policy "limits")`))
})
