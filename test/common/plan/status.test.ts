import { expect } from 'chai'
import { unknown } from '../../../common/api/known.ts'
import type { ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import { POLICIES_NOT_READ } from '../../../common/assess/checks.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import type { PolicyDecision } from '../../../common/outcome/policy-decision.ts'
import { policyCompliant } from '../../../common/plan/status.ts'
import type { PolicyFinding } from '../../../common/policy/policy.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import type { TrafficView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, anExperiment, aPolicy, FORK, NO_POLICIES } from '../../builders.ts'
import { plan, statusOf } from '../of-facts.ts'
import { type Given, leftAt, someFacts, theFork } from './some-facts.ts'

/** The status after a pass that made its writes without an answer, so that the fork is as it was read. */
const statusFor = (facts: Facts): ExperimentDeploymentStatus => statusOf(facts, plan(facts).conclusion)
const statusWith = (given: Given): ExperimentDeploymentStatus => statusFor(someFacts(given))
const condition = ({ conditions }: ExperimentDeploymentStatus, type: string): string => {
  const found = conditions?.find((each) => each.type === type)
  return found ? `${found.status} ${found.reason}: ${found.message}` : 'none'
}
const conditionTypes = ({ conditions }: ExperimentDeploymentStatus) => conditions?.map(({ type }) => type)

const crossNamespace = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
const CART = { name: 'cart', selector: { app: 'cart' } }
const pods = (...names: readonly string[]) => ({
  services: [CART],
  slices: [{ service: 'cart', ready: names.map((pod) => ({ address: pod, pod })) }],
})
const READY: Given = {
  fork: theFork(),
  experiment: anExperiment({ status: leftAt(3) }),
  traffic: pods('cart-1'),
}
const HPA = { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 3, isOnCpu: true }

describe('statusOf', () => {
  it('reports a ready fork', () => {
    const status = statusWith({ ...READY, traffic: pods(`${FORK}-7d9f-1`, 'cart-1', 'cart-2', 'cart-3') })
    expect(conditionTypes(status)).to.deep.equal([
      'Ready',
      'Progressing',
      'SourceResolved',
      'TrafficShared',
      'PolicyCompliant',
    ])
    expect(condition(status, 'Ready')).to.match(/^True Available/)
    expect(condition(status, 'TrafficShared')).to.equal(
      'True Selected: service/cart: 25% of new connections (1 of 4 endpoints)',
    )
    expect(status).to.deep.include({
      observedGeneration: 1,
      replicas: 1,
      sourceName: 'Deployment/cart',
      selector: 'experiment-controller.example.com/experiment-id=cd1aa1c99c',
      image: 'example/cart:1',
      share: '25%',
    })
  })

  it('is equal for equal facts, also when it is computed from its own result', () => {
    const first = statusWith(READY)
    const later = new Date('2026-11-21T11:00:00Z')
    const experiment = anExperiment({ status: first })
    expect(statusWith({ ...READY, experiment, now: later })).to.deep.equal(first)
  })

  it('has Stalled only when a person must act', () => {
    const stalled = statusWith({ nameHolder: aDeployment({ name: FORK }) })
    expect(condition(stalled, 'Stalled')).to.match(/^True NameConflict/)
    expect(condition(stalled, 'Progressing')).to.match(/^False/)
    expect(condition(statusWith({ source: undefined }), 'Stalled')).to.equal('none')
    expect(condition(statusWith({ source: undefined }), 'Progressing')).to.match(/^True SourceNotFound/)
  })

  it('has no fork, no image and no share before the fork exists', () => {
    const status = statusWith({ source: undefined })
    expect(status).to.not.have.any.keys('image', 'share', 'experimentResourceRef', 'source')
    expect(condition(status, 'TrafficShared')).to.equal('Unknown Pending: there is no fork')
  })

  it('names the namespace of a source in another namespace', () =>
    expect(statusWith({ experiment: crossNamespace }).sourceName).to.equal('Deployment/store/cart'))

  it('reports when the experiment expires', () => {
    const experiment = anExperiment({ ttlSeconds: 60, metadata: { creationTimestamp: '2026-11-21T09:59:30Z' } })
    expect(statusWith({ experiment }).expiresAt).to.equal('2026-11-21T10:00:30Z')
  })
})

describe('the reference to the fork in the status', () => {
  const generation = (status: ExperimentDeploymentStatus) => status.experimentResourceRef?.generation

  it('has the generation of a fork that this pass wrote', () => {
    const facts = someFacts({})
    const conclusion = { ...plan(facts).conclusion, fork: theFork() }
    expect(generation(statusOf(facts, conclusion))).to.equal(3)
  })

  it('keeps the former generation of a fork that this pass only read, so that a change of it is found', () => {
    const experiment = anExperiment({ status: leftAt(2) })
    const facts = someFacts({ fork: theFork(), experiment, source: undefined })
    expect(generation(statusFor(facts))).to.equal(2)
  })

  it('has the generation of the last write of this process, although an earlier pass made it', () => {
    const unreported = { uid: 'uid-of-fork', generation: 3 }
    for (const status of [leftAt(2), {}]) {
      const facts = someFacts({ fork: theFork(), experiment: anExperiment({ status }), source: undefined, unreported })
      expect(generation(statusFor(facts))).to.equal(3)
    }
  })

  it('has generation 0 when no status says how the fork was left, so that it is applied again', () =>
    expect(generation(statusWith({ fork: theFork(), source: undefined }))).to.equal(0))
})

describe('the source in the status', () => {
  const stored = { uid: 'uid-of-cart', generation: 1, templateHash: 'abc' }

  it('stays while the fork stays, although this pass derived nothing', () => {
    const experiment = anExperiment({ status: { ...leftAt(3), source: stored } })
    expect(statusWith({ fork: theFork(), experiment, source: undefined }).source).to.deep.equal(stored)
  })

  it('goes with the fork', () => {
    const experiment = anExperiment({ status: { source: stored } })
    expect(statusWith({ experiment, source: undefined })).to.not.have.property('source')
  })

  it('stays without a fork when the base is pinned', () => {
    const source = { ...stored, pinned: true }
    const experiment = anExperiment({ onSourceChange: 'Pin', status: { source } })
    expect(statusWith({ experiment, source: undefined }).source).to.deep.equal(source)
  })
})

describe('the condition SourceResolved', () => {
  const cases: Readonly<Record<string, readonly [Given, string]>> = {
    'is true when the source was found': [READY, 'True Resolved: deployment/cart'],
    'has the reason of a conclusion about the source': [
      { source: undefined },
      'False SourceNotFound: no deployment/cart in shop yet; the override is checked again when it appears',
    ],
    'does not say without consent whether the source exists': [
      { experiment: crossNamespace, policies: { ...NO_POLICIES, isShared: false }, isExcluded: true },
      'False SourceNotAllowed: not checked: namespace "store" does not share its workloads with "shop"; ' +
        'an ExperimentPolicy for it can, with allowSourcesFrom',
    ],
    'is unknown when nobody can see whether the source is shared': [
      { experiment: crossNamespace, policies: undefined },
      'Unknown PolicyNotRead: the controller may not read the labels of the namespace of the experiment, ' +
        'or of the namespace of its source',
    ],
    'is false when the source is missing and another reason decides': [
      { source: undefined, isExcluded: true },
      'False SourceNotFound: no deployment/cart',
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(sentence, () => expect(condition(statusWith(given), 'SourceResolved')).to.equal(expected))
})

describe('the warnings in the status', () => {
  const counted = { ...READY, neighbours: { ...NO_NEIGHBOURS, autoscalers: [HPA] } }
  const reasons = ({ warnings }: ExperimentDeploymentStatus) => warnings?.map(({ reason }) => reason)

  it('hold hazards and collisions in the order of the list of reasons', () => {
    const source = aDeployment({ container: { args: ['--leader-elect'] } })
    const status = statusWith({ ...counted, source, fork: theFork({ source }) })
    expect(reasons(status)).to.deep.equal(['CountedByHPA', 'LeaderElection'])
    expect(condition(status, 'SourceResolved')).to.contain('LeaderElection: ')
    expect(condition(status, 'TrafficShared')).to.contain('CountedByHPA: ')
  })

  it('keep what was reported about neighbours while they cannot be read', () => {
    const facts = someFacts({ ...READY, experiment: anExperiment({ status: statusWith(counted) }) })
    const unread = { ...facts, surroundings: { ...facts.surroundings, neighbours: unknown('no answer') } }
    expect(reasons(statusFor(unread))).to.deep.equal(['CountedByHPA'])
    expect(reasons(statusFor(facts))).to.equal(undefined)
  })
})

const UNREAD = [{ name: 'service/big', unread: 'it is too large' }]
const NAMED = 'NotCompared: not compared with the pods: service/big (it is too large)'

/** The condition TrafficShared, and the reasons of the warnings. */
function shownOf(traffic: TrafficView) {
  const facts = someFacts({ fork: theFork(), experiment: anExperiment({ status: leftAt(3) }), traffic })
  const { conditions = [], warnings = [] } = statusOf(facts, plan(facts).conclusion)
  const found = conditions.find(({ type }) => type === 'TrafficShared')
  return [`${found?.status} ${found?.reason}: ${found?.message}`, ...warnings.map(({ reason }) => reason)]
}

describe('the status beside a Service that is too large to be read', () => {
  it('N29: does not say that there is none', () => {
    const [shared, ...warnings] = shownOf({ services: [], slices: [], unread: UNREAD })
    expect(shared).to.equal(`Unknown NotCompared: no other Service selects the pods; ${NAMED}`)
    expect(warnings).to.include('NotCompared').and.not.include('QueueWorker')
  })

  it('N29: does not say that another Service, which does not match, is the only one', () => {
    const services = [{ name: 'cart', selector: { app: 'cart', 'pod-template-hash': 'x' } }]
    const [shared] = shownOf({ services, slices: [], unread: UNREAD })
    expect(shared).to.match(/^Unknown NotCompared: service\/cart: the fork's pods lack pod-template-hash=x; /)
  })

  it('N29: has the share of another Service', () => {
    const services = [{ name: 'cart', selector: { app: 'cart' } }]
    const slices = [{ service: 'cart', ready: [{ address: '1', pod: 'cart-experiment-cd1aa1c99c-7d9f-1' }] }]
    const [shared] = shownOf({ services, slices, unread: UNREAD })
    expect(shared).to.equal(`True Selected: service/cart: 100% of new connections (1 of 1 endpoints); ${NAMED}`)
  })
})

const finding = (policy: string, actions: PolicyFinding['actions']): PolicyFinding => ({
  policy,
  actions,
  about: 'content',
  error: { field: 'spec.replicas', message: 'must be at most 1, got 3', cause: 'FieldValueForbidden' },
})
const decided = (policies: readonly string[], findings: readonly PolicyFinding[] = []): PolicyDecision => ({
  is: 'decided',
  policies,
  findings,
})

const cases: Readonly<Record<string, readonly [PolicyDecision | undefined, status: string, message: string]>> = {
  'is unknown when the experiment ends': [
    undefined,
    'Unknown Pending',
    'not evaluated: the experiment needs no fork any more',
  ],
  'is unknown when the policies cannot be read': [{ is: 'notRead' }, 'Unknown PolicyNotRead', POLICIES_NOT_READ],
  'is false without consent': [
    {
      is: 'notShared',
      policies: ['limits'],
      refusing: [],
      reason: 'SourceNamespaceExcluded',
      message: 'workloads in namespace "kube-system" are never forked from elsewhere',
    },
    'False SourceNamespaceExcluded',
    'workloads in namespace "kube-system" are never forked from elsewhere',
  ],
  'is true when no policy applies': [decided([]), 'True Compliant', 'no policy applies'],
  'is true when no policy finds anything, and names them': [
    decided(['limits', 'images']),
    'True Compliant',
    'policies: limits, images',
  ],
  'is false with a finding that denies': [
    decided(['limits'], [finding('limits', ['Deny'])]),
    'False PolicyViolated',
    'spec.replicas: must be at most 1, got 3',
  ],
  'is false with a finding that warns': [
    decided(['limits'], [finding('limits', ['Warn'])]),
    'False PolicyViolated',
    'spec.replicas: must be at most 1, got 3',
  ],
  'is false with a finding that is only audited, and shows no value': [
    decided(['limits'], [finding('limits', ['Audit'])]),
    'False PolicyViolated',
    'spec.replicas (policy "limits")',
  ],
}

describe('the condition PolicyCompliant', () => {
  for (const [sentence, [decision, status, message]] of Object.entries(cases))
    it(sentence, () => {
      const draft = policyCompliant(decision)
      expect([draft.type, `${draft.status} ${draft.reason}`, draft.message]).to.deep.equal([
        'PolicyCompliant',
        status,
        message,
      ])
    })
})

describe('the violated policies', () => {
  const violating = (policies: NonNullable<Given['policies']>['policies']) => ({
    ...READY,
    policies: { ...NO_POLICIES, policies },
  })
  const strict = (name: string) => aPolicy({ name, maxTTLSeconds: 60, validationActions: ['Audit'] })

  it('are named once each, by name, at most eight of them', () => {
    const names = ['i', 'h', 'g', 'f', 'e', 'd', 'c', 'b', 'a']
    const twice = aPolicy({ name: 'twice', maxTTLSeconds: 60, requireAnalysis: true, validationActions: ['Audit'] })
    expect(statusWith(violating([twice])).violatedPolicies).to.deep.equal(['twice'])
    expect(statusWith(violating(names.map(strict))).violatedPolicies).to.deep.equal(names.toReversed().slice(0, 8))
  })

  it('are absent where there are none and where nobody knows, so that an update of the controller writes nothing', () => {
    expect(statusWith(violating([aPolicy({ maxReplicas: 5 })]))).to.not.have.property('violatedPolicies')
    expect(statusWith({ ...READY, policies: undefined })).to.not.have.property('violatedPolicies')
    expect(statusWith(READY)).to.not.have.property('violatedPolicies')
  })
})
