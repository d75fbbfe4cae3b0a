import { expect } from 'chai'
import { known, unknown } from '../../../common/api/known.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aDeployment, anExperiment, aPolicy, aRollout, aStatefulSet, FORK, NO_POLICIES } from '../../builders.ts'
import { type Given, leftAt, someFacts, theFork } from '../plan/some-facts.ts'
import { described, describedFacts, trafficOf } from './described.ts'

/** The lines after the one that says what is written. */
const linesOf = (given: Given): readonly string[] => {
  const lines = described(given)
  return lines.slice(lines.findIndex((line) => /\] (creates|updates|changes)/.test(line)) + 1)
}
const [CART] = trafficOf(3, FORK).services
const ROLLOUT = { kind: known(rollout), experiment: anExperiment({ sourceRef: { kind: 'Rollout', name: 'cart' } }) }
const STATEFUL_SET = {
  kind: known(statefulSet),
  source: aStatefulSet(),
  experiment: anExperiment({ sourceRef: { kind: 'StatefulSet', name: 'cart' }, replicas: 3 }),
}

describe('the description of the traffic', () => {
  const cases: Record<string, readonly [Given, ...string[]]> = {
    'is the part of all endpoints that there will be': [
      { traffic: trafficOf(3, FORK) },
      '[Plan] service/cart: about 25% of new connections (1 of 4 endpoints)',
    ],
    'does not count the pods that the fork has already': [
      {
        traffic: trafficOf(3, FORK, 2),
        fork: theFork({ experiment: anExperiment({ replicas: 2 }) }),
        experiment: anExperiment({ replicas: 3, status: leftAt(3) }),
      },
      '[Plan] service/cart: about 50% of new connections (3 of 6 endpoints)',
    ],
    'counts one pod for a Service on pod-index, as the status does (D7)': [
      {
        ...STATEFUL_SET,
        traffic: {
          ...trafficOf(1, FORK),
          services: [{ name: 'cart', selector: { app: 'cart', 'apps.kubernetes.io/pod-index': '0' } }],
        },
      },
      '[Plan] service/cart: about 50% of new connections (1 of 2 endpoints)',
    ],
    'comes with what makes the share inexact': [
      {
        traffic: {
          ...trafficOf(3, FORK),
          services: [{ name: 'cart', selector: {}, ...CART, sessionAffinity: 'ClientIP' }],
        },
      },
      '[Plan] service/cart: about 25% of new connections (1 of 4 endpoints)',
      '[Plan] service/cart: sessionAffinity ClientIP: only new clients reach it',
    ],
    'says which labels the fork lacks': [
      {
        traffic: { ...trafficOf(3, FORK), services: [{ name: 'cart', selector: { app: 'cart', tier: 'web' } }] },
        source: aDeployment({ podLabels: { tier: 'web' } }),
        experiment: anExperiment({ overrideSpec: { template: { metadata: { labels: { tier: null } } } } }),
      },
      '[Plan] template.metadata.labels.tier: removed',
      "[Plan] service/cart: no requests; the fork's pods lack tier=web",
    ],
    'says that the Service is pinned by another controller, which is no plan of ours': [
      {
        traffic: {
          ...trafficOf(3, FORK),
          services: [{ name: 'cart', selector: { app: 'cart', 'rollouts-pod-template-hash': 'x' } }],
        },
      },
      '[PinnedByRollout] service/cart: no requests; it is limited to one revision: rollouts-pod-template-hash=x',
    ],
    'is no number where a Rollout routes the requests': [
      {
        ...ROLLOUT,
        traffic: trafficOf(3, FORK),
        source: aRollout({ strategy: { canary: { trafficRouting: { istio: {} } } } }),
      },
      '[RoutedByRollout] service/cart: selects the fork, but the Rollout routes the requests: the share is unknown',
    ],
    'has a line for each Service': [
      {
        traffic: {
          ...trafficOf(3, FORK),
          services: [
            { name: 'cart', selector: { app: 'cart' } },
            { name: 'till', selector: { app: 'cart' } },
          ],
        },
      },
      '[Plan] service/cart: about 25% of new connections (1 of 4 endpoints)',
      '[Plan] service/till: about 100% of new connections (1 of 1 endpoints)',
      '[AloneBehindService] no other ready endpoint in service/till: the fork gets all requests',
    ],
    'S13: says that the fork gets no pods where a policy forbids that it is alone': [
      {
        traffic: trafficOf(0, FORK),
        policies: { ...NO_POLICIES, policies: [aPolicy({ aloneBehindService: 'Deny' })] },
      },
      '[AloneBehindService] no other ready endpoint in service/cart: no pods until there is one (policy "limits")',
    ],
    'says that no Service concerns the fork': [
      {},
      '[Plan] no Service selects these pods: they will receive no traffic',
    ],
    'says that no pods receive no requests': [
      { traffic: trafficOf(3, FORK), experiment: anExperiment({ replicas: 0 }) },
      '[Plan] no pods, so no requests; scale it to give it some',
    ],
  }
  for (const [sentence, [given, ...expected]] of Object.entries(cases))
    it(sentence, () => expect(linesOf(given)).to.deep.equal(expected))

  it('is unknown where the Services could not be read', () => {
    const facts = someFacts()
    const surroundings = { ...facts.surroundings, traffic: unknown('the Services') }
    expect(describedFacts({ ...facts, surroundings }).at(-1)).to.equal(
      '[Plan] the share of requests is unknown: the Services could not be read',
    )
  })

  it('is left out where no fork is there or will be', () => {
    const lines = described({ traffic: trafficOf(3, FORK), policies: undefined })
    expect(lines.join()).to.not.contain('service/cart: about')
  })
})
