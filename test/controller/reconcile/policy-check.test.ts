import { expect } from 'chai'
import type { ExperimentPolicySpec } from '../../../common/api/policy.ts'
import { policyCompliant } from '../../../controller/reconcile/compliance.ts'
import type { Observed, Policing, Rival } from '../../../controller/reconcile/observe.ts'
import { plan } from '../../../controller/reconcile/plan.ts'
import { aDeployment, anExperiment, aPolicy, imageOverride, NO_POLICIES } from '../../builders.ts'
import { anObserved, leftAt, theFork } from './observed.ts'

const CREATED = '2026-11-21T09:00:00Z'

/** Under one policy of these terms, beside `others`. */
const under = (spec: ExperimentPolicySpec, others: readonly Rival[] = []): Policing => ({
  ...NO_POLICIES,
  policies: [aPolicy(spec)],
  rivals: { others, asOf: 7 },
})

interface RivalOf {
  readonly createdAt?: string
  readonly replicas?: number
}

/** Another experiment on `cart`; with `replicas` it has a fork. */
const rival = (uid: string, { createdAt = CREATED, replicas }: RivalOf = {}): Rival => ({
  experiment: anExperiment({ metadata: { uid, name: uid, creationTimestamp: createdAt } }),
  replicas,
})
const self = (of: Parameters<typeof anExperiment>[0] = {}) =>
  anExperiment({ ...of, metadata: { uid: 'm', creationTimestamp: CREATED, ...of.metadata } })

interface Case {
  readonly because: string
  readonly given: Partial<Observed>
  readonly reason: string
  readonly actions: readonly string[]
  readonly compliant: 'True' | 'False' | 'Unknown'
  readonly says?: string
}

const onePlace = (...others: Rival[]) => under({ maxExperimentsPerSource: 1 }, others)
const three = { experiment: anExperiment({ replicas: 3 }) }
/** Of three pods, as it was left. */
const forked = (of: Parameters<typeof anExperiment>[0] = {}): Partial<Observed> => ({
  fork: theFork(three),
  experiment: anExperiment({ replicas: 3, status: leftAt(3), ...of }),
})
const traffic = (...pods: string[]) => ({
  services: [{ name: 'cart', selector: { app: 'cart' } }],
  slices: [{ service: 'cart', ready: pods.map((pod) => ({ uid: pod, pod })) }],
})

const cases: Record<string, Case> = {
  'makes a fork that no policy has anything against': {
    because: 'policies only limit',
    given: { policing: under({ maxReplicas: 1 }) },
    reason: 'Updating',
    actions: ['apply'],
    compliant: 'True',
  },
  'makes no fork that a policy denies': {
    because: 'the webhook may have been off',
    given: { policing: under({ maxReplicas: 1 }), ...three },
    reason: 'PolicyDenied',
    actions: [],
    compliant: 'False',
    says: 'spec.replicas: 3 is more than 1 (policy "limits")',
  },
  'makes a fork that a policy warns of': {
    because: 'Warn admits',
    given: { policing: under({ maxReplicas: 1, validationActions: ['Warn'] }), ...three },
    reason: 'Updating',
    actions: ['apply'],
    compliant: 'False',
  },
  'makes no fork while it cannot see who applies': {
    because: 'a limit that is not seen is none to whoever ignores it',
    given: { policing: undefined },
    reason: 'PolicyNotRead',
    actions: [],
    compliant: 'Unknown',
  },
  'leaves a fork as it is that a later policy denies': {
    because: 'policies delete nothing',
    given: { ...forked(), policing: under({ maxReplicas: 1 }) },
    reason: 'Available',
    actions: [],
    compliant: 'False',
  },
  'does not let it grow': {
    because: 'kubectl scale passes no webhook',
    given: { ...forked({ replicas: 5 }), policing: under({ maxReplicas: 4 }) },
    reason: 'PolicyDenied',
    actions: [],
    compliant: 'False',
    says: '5 is more than 4 (policy "limits"); the fork stays as it is, with 3 replicas',
  },
  'lets it shrink': {
    because: 'fewer pods are a smaller violation',
    given: { ...forked({ replicas: 2 }), policing: under({ maxReplicas: 1 }) },
    reason: 'Updating',
    actions: ['apply'],
    compliant: 'False',
  },
  'lets it shrink and nothing else, where more was asked for': {
    because: 'what is denied is not written, but pods go',
    given: {
      ...forked({ replicas: 1, overrideSpec: imageOverride('cart:denied') }),
      policing: under({ deniedOverridePaths: ['template.spec.containers'] }),
    },
    reason: 'PolicyDenied',
    actions: ['shrink'],
    compliant: 'False',
  },
  'does not let it follow its source any more': {
    because: 'it is left alone',
    given: {
      ...forked(),
      source: aDeployment({ image: 'cart:9', metadata: { generation: 2 } }),
      policing: under({ maxReplicas: 1 }),
    },
    reason: 'PolicyDenied',
    actions: [],
    compliant: 'False',
  },
  'lets it wait for a place that an older experiment is to have': {
    because: 'the older one comes first, fork or not',
    given: { experiment: self(), policing: onePlace(rival('z', { createdAt: '2026-11-21T08:59:59Z' })) },
    reason: 'LimitReached',
    actions: [],
    compliant: 'False',
    says: 'policy "limits"',
  },
  'lets the lower uid have it, of two of one second': {
    because: 'there must be one order, whoever looks',
    given: { experiment: self(), policing: onePlace(rival('a')) },
    reason: 'LimitReached',
    actions: [],
    compliant: 'False',
  },
  'takes the place before a younger experiment': {
    because: 'it is its turn, though both are there',
    given: { experiment: self(), policing: onePlace(rival('z')) },
    reason: 'Updating',
    actions: ['take', 'apply'],
    compliant: 'True',
  },
  'lets a fork that exists keep its place': {
    because: 'nobody loses a fork to an older experiment that came late',
    given: { experiment: self(), policing: onePlace(rival('z', { replicas: 1 })) },
    reason: 'LimitReached',
    actions: [],
    compliant: 'False',
  },
  'does not take a second place for the fork it has': {
    because: 'limits are about making forks',
    given: { ...forked(), source: aDeployment({ image: 'cart:9' }), policing: onePlace(rival('a', { replicas: 1 })) },
    reason: 'Updating',
    actions: ['apply'],
    compliant: 'False',
  },
  'makes no fork that would get too much of the traffic': {
    because: 'share is enforced when a fork is made',
    given: {
      policing: under({ maxShare: '25%' }, [rival('a', { replicas: 1 })]),
      traffic: traffic('cart-1', 'cart-2'),
    },
    reason: 'PolicyDenied',
    actions: [],
    compliant: 'False',
    says: '2 of 4 endpoints',
  },
  'counts only those that have pods': {
    because: 'who waits takes no traffic',
    given: { policing: under({ maxShare: '34%' }, [rival('a')]), traffic: traffic('cart-1', 'cart-2') },
    reason: 'Updating',
    actions: ['take', 'apply'],
    compliant: 'True',
  },
  'lets a fork that gets too much follow its source': {
    because: 'a later excess is only told',
    given: {
      ...forked(),
      source: aDeployment({ image: 'cart:9', metadata: { generation: 2 } }),
      policing: under({ maxShare: '1%' }),
      traffic: traffic('cart-1'),
    },
    reason: 'Updating',
    actions: ['apply'],
    compliant: 'False',
  },
  'finds no source missing of a kind that the cluster does not serve': {
    because: 'the webhook admits it, for the kind may come; there is nothing to create first',
    given: { policing: under({ sourceMissing: 'Deny' }), source: undefined, isKindAbsent: true },
    reason: 'KindNotAvailable',
    actions: [],
    compliant: 'True',
  },
  'is stalled in a namespace where nobody reviews rights': {
    because: 'the webhooks leave those alone',
    given: { isExcluded: true },
    reason: 'NamespaceExcluded',
    actions: [],
    compliant: 'True',
  },
}

describe('plan under policies', () => {
  for (const [sentence, { because, given, reason, actions, compliant, says }] of Object.entries(cases))
    it(`${sentence}: ${because}`, () => {
      const { outcome, ...planned } = plan(anObserved(given))
      expect(planned.actions.map((action) => action.do)).to.deep.equal(actions)
      expect(outcome.reason).to.equal(reason)
      expect(policyCompliant(outcome.judgement).status).to.equal(compliant)
      if (says) expect(outcome.message).to.contain(says)
    })

  it('tells of what is only audited no value', () => {
    const { outcome } = plan(
      anObserved({ ...three, policing: under({ maxReplicas: 1, validationActions: ['Audit'] }) }),
    )
    const { status, message } = policyCompliant(outcome.judgement)
    expect([status, message]).to.deep.equal(['False', 'spec.replicas (policy "limits")'])
  })

  it('names the policies that it keeps to', () => {
    const { outcome } = plan(anObserved({ policing: under({ maxReplicas: 1 }) }))
    expect(policyCompliant(outcome.judgement).message).to.equal('policies: limits')
    expect(policyCompliant(plan(anObserved()).outcome.judgement).message).to.equal('no policy applies')
  })
})
