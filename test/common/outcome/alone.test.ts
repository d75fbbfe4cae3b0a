import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import { servicesWithoutOthers } from '../../../common/outcome/alone.ts'
import type { ExperimentPolicySpec } from '../../../common/policy/policy.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import type { ServiceView, SliceView } from '../../../common/surroundings/traffic.ts'
import { aFork, anExperiment, aPolicy, FORK, NO_POLICIES } from '../../builders.ts'
import { trafficOf } from '../describe/described.ts'
import { aloneBehindService, assess, plan } from '../of-facts.ts'
import { type Given, leftAt, someFacts, theFork, writesOf } from '../plan/some-facts.ts'
import { CART, ours, pairOf, service, slice } from '../surroundings/rows.ts'

const under = (spec: ExperimentPolicySpec) => ({ policies: { ...NO_POLICIES, policies: [aPolicy(spec)] } })
const DENY: Given = under({ aloneBehindService: 'Deny' })
const ALONE: Given = { traffic: trafficOf(0, FORK, 2) }
/** A fork of two pods, alone since this time. */
const forked = (aloneSince?: string, replicas = 2, more: ExperimentDeploymentStatus = {}): Given => {
  const status = { ...leftAt(3), ...more, ...(aloneSince === undefined ? {} : { aloneSince }) }
  return {
    fork: theFork({ experiment: anExperiment({ replicas }) }),
    experiment: anExperiment({ replicas: 2, status }),
  }
}
const aloneIn = (given: Given) => {
  const facts = someFacts(given)
  return aloneBehindService(facts, assess(facts))
}
/** Now it is 10:00:00. */
const NINE_SECONDS = '2026-11-21T09:59:51Z'
const TEN_SECONDS = '2026-11-21T09:59:50Z'

describe('an experiment that is alone behind a Service', () => {
  it('S13: is known with the time since when', () => {
    expect(aloneIn({ ...forked(), ...ALONE })).to.deep.include({ since: '2026-11-21T10:00:00Z', restMs: 10_000 })
    expect(aloneIn({ ...forked(NINE_SECONDS), ...ALONE })).to.deep.include({ since: NINE_SECONDS, restMs: 1_000 })
    expect(aloneIn({ ...forked('no time'), ...ALONE })).to.deep.include({ restMs: 10_000 })
  })

  it('S13: is not alone beside a ready pod of the source, or without pods of its own', () => {
    expect(aloneIn({ ...forked(TEN_SECONDS), traffic: trafficOf(1, FORK, 2) })).to.equal(undefined)
    expect(aloneIn({ ...ALONE, experiment: anExperiment({ replicas: 0 }) })).to.equal(undefined)
  })

  interface Case {
    readonly because: string
    readonly given: Given
    readonly writes: readonly string[]
    readonly reason: string
  }
  const cases: Record<string, Case> = {
    'keeps its pods without a policy': {
      because: 'it is told, and a person decides',
      given: { ...forked(TEN_SECONDS), ...ALONE },
      writes: [],
      reason: 'Available',
    },
    'keeps its pods under a policy that only warns': {
      because: 'such a policy changes nothing',
      given: {
        ...forked(TEN_SECONDS),
        ...ALONE,
        ...under({ aloneBehindService: 'Deny', validationActions: ['Warn'] }),
      },
      writes: [],
      reason: 'Available',
    },
    'keeps its pods for ten seconds under a policy that forbids it': {
      because: 'a rolling update of the source must not scale it down',
      given: { ...forked(NINE_SECONDS), ...ALONE, ...DENY },
      writes: [],
      reason: 'Available',
    },
    'then loses them': {
      because: 'the policy forbids that it gets all requests',
      given: { ...forked(TEN_SECONDS), ...ALONE, ...DENY },
      writes: ['apply fork'],
      reason: 'AloneBehindService',
    },
    'loses them also while its fork is not derived': {
      because: 'a source that was deleted has no ready pods',
      given: { ...forked(TEN_SECONDS), ...ALONE, ...DENY, source: undefined },
      writes: ['patch fork'],
      reason: 'SourceNotFound',
    },
    'loses them also where a newer policy denies its content': {
      because: 'fewer pods are always allowed',
      given: { ...forked(TEN_SECONDS), ...ALONE, ...under({ aloneBehindService: 'Deny', maxReplicas: 1 }) },
      writes: ['apply fork'],
      reason: 'AloneBehindService',
    },
    'stays without pods while it lasts': {
      because: 'otherwise it would come and go',
      given: { ...forked(TEN_SECONDS, 0), traffic: trafficOf(0, FORK), ...DENY },
      writes: [],
      reason: 'AloneBehindService',
    },
    'is created without pods': {
      because: 'no pods need no time',
      given: { ...ALONE, ...DENY },
      writes: ['apply newFork'],
      reason: 'AloneBehindService',
    },
    'gets its pods back when another endpoint is ready': {
      because: 'nobody should have to do this by hand',
      given: { ...forked(TEN_SECONDS, 0), traffic: trafficOf(1, FORK), ...DENY },
      writes: ['apply fork'],
      reason: 'Updating',
    },
  }
  for (const [sentence, { because, given, writes, reason }] of Object.entries(cases))
    it(`S13: ${sentence}: ${because}`, () => {
      expect(writesOf(given)).to.deep.equal(writes)
      expect(plan(someFacts(given)).conclusion.reason).to.equal(reason)
    })

  it('S13: is told why it has no pods, and by which policy', () => {
    const { is, message } = plan(someFacts({ ...forked(TEN_SECONDS), ...ALONE, ...DENY })).conclusion
    const told = 'no other ready endpoint in service/cart: no pods until there is one (policy "limits")'
    expect([is, message]).to.deep.equal(['unready', told])
  })

  it('S13: is no repair, because no other client changed the fork', () => {
    const repairs = (given: Given) =>
      plan(someFacts({ ...given, ...DENY })).writes.map((write) => 'isRepair' in write && write.isRepair)
    expect(repairs({ ...forked(TEN_SECONDS), ...ALONE })).to.deep.equal([false])
    const back = { ...forked(TEN_SECONDS, 0), traffic: trafficOf(1, FORK) }
    expect(repairs(back)).to.deep.equal([false])
    expect(plan(someFacts(back)).conclusion.message).to.contain('has its pods again')
    const held = { type: 'Ready', status: 'False', reason: 'AloneBehindService', message: '' } as const
    const conditions = [{ ...held, observedGeneration: 1, lastTransitionTime: TEN_SECONDS }]
    // somebody scaled the fork meanwhile
    expect(repairs({ ...forked(TEN_SECONDS, 2, { conditions }), ...ALONE })).to.deep.equal([true])
    expect(repairs({ ...forked(TEN_SECONDS, 0, { conditions }), traffic: back.traffic })).to.deep.equal([false])
  })

  it('R3: is a repair when another client took the pods away, although it would be allowed to be alone', () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Available', message: '' } as const
    const conditions = [{ ...ready, observedGeneration: 1, lastTransitionTime: TEN_SECONDS }]
    const [write] = plan(someFacts({ ...forked(TEN_SECONDS, 0, { conditions }), ...ALONE })).writes
    expect(write).to.deep.include({ verb: 'apply', isRepair: true })
  })
})

const found = (services: readonly ServiceView[], slices: readonly SliceView[] = [], of = {}) =>
  servicesWithoutOthers({ services, slices }, trafficInput(pairOf(of)))
const MINE = service('mine', { [EXPERIMENT_ID]: 'cd1aa1c99c' })

describe('servicesWithoutOthers', () => {
  it('S13: names the Services without ready pods of the source', () =>
    expect(found([CART, service('all', { app: 'cart' })], [slice('cart', ours)])).to.deep.equal(['all', 'cart']))

  it('S13: counts any other ready pod, but no pod of another experiment', () => {
    expect(found([CART], [slice('cart', ours, 'cart-1')])).to.deep.equal([])
    expect(found([CART], [slice('cart', 'cart-primary-1')])).to.deep.equal([])
    expect(found([CART], [slice('cart', ours, 'cart-experiment-0123456789-1')])).to.deep.equal(['cart'])
  })

  it('S13: leaves out a Service that does not select both, because one for the fork alone is meant so', () => {
    expect(found([service('web', { tier: 'web' }), service('other', { app: 'other' })])).to.deep.equal([])
    expect(found([MINE])).to.deep.equal([])
    expect(found([service('cut-over', { app: 'cart', [EXPERIMENT_ID]: 'cd1aa1c99c' })])).to.deep.equal([])
  })

  it('S13: also finds them when the source was deleted', () =>
    expect(found([CART, MINE], [], { source: undefined, fork: aFork() })).to.deep.equal(['cart']))
})
