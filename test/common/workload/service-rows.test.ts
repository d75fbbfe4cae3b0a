import { expect } from 'chai'
import type { JsonObject } from '../../../common/api/object.ts'
import type { Neighbours } from '../../../common/workload/neighbours.ts'
import { rollout } from '../../../common/workload/rollout.ts'
import { type ServiceView, serviceShares } from '../../../common/workload/services.ts'
import { type Pair, sidesOf } from '../../../common/workload/sides.ts'
import { statefulSet } from '../../../common/workload/stateful-set.ts'
import { aFork, aRollout, aStatefulSet } from '../../builders.ts'
import { CART, ours, pairOf, rows, service, slice } from './rows.ts'

/** A Rollout whose strategy is `strategy`, and its fork. */
const rolledOut = (strategy: JsonObject): Partial<Pair> => {
  const source = aRollout({ strategy })
  return { kind: rollout, source, fork: aFork(source) }
}
const canary = (of: JsonObject): Partial<Pair> => rolledOut({ canary: of })
const numbered = (): Partial<Pair> => {
  const source = aStatefulSet()
  return { kind: statefulSet, source, fork: aFork(source) }
}

const POD_NAME = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX = 'apps.kubernetes.io/pod-index'
const HASH = 'rollouts-pod-template-hash'

interface RowCase {
  readonly selector: Readonly<Record<string, string>>
  readonly name?: string
  readonly of?: Partial<Pair>
  readonly selected: boolean
  readonly reason?: string
  readonly says?: string
}

const reasons: Record<string, RowCase> = {
  'LabelsDoNotMatch names the labels that the fork lacks': {
    selector: { app: 'cart', tier: 'web' },
    selected: false,
    reason: 'LabelsDoNotMatch',
    says: "the experiment's pods lack tier=web",
  },
  'LabelsDoNotMatch is said of one revision of a Deployment': {
    selector: { app: 'cart', 'pod-template-hash': '5c6b' },
    selected: false,
    reason: 'LabelsDoNotMatch',
  },
  'LabelsDoNotMatch names a label of stableMetadata': {
    selector: { app: 'cart', role: 'stable' },
    of: canary({ stableMetadata: { labels: { role: 'stable' } } }),
    selected: false,
    reason: 'LabelsDoNotMatch',
    says: "the experiment's pods lack role=stable",
  },
  'A stableService is PinnedByRollout': {
    selector: { app: 'cart', [HASH]: '5c6b' },
    name: 'stable',
    of: canary({ stableService: 'stable' }),
    selected: false,
    reason: 'PinnedByRollout',
    says: `the Rollout pins it to one revision: ${HASH}=5c6b`,
  },
  'An activeService is PinnedByRollout': {
    selector: { app: 'cart', [HASH]: '5c6b' },
    name: 'active',
    of: rolledOut({ blueGreen: { activeService: 'active' } }),
    selected: false,
    reason: 'PinnedByRollout',
  },
  'Another Service with the hash of a revision is PinnedByRollout too': {
    selector: { app: 'cart', [HASH]: '5c6b' },
    of: canary({}),
    selected: false,
    reason: 'PinnedByRollout',
    says: `it is pinned to one revision: ${HASH}=5c6b`,
  },
  'Its root Service is selected': {
    selector: { app: 'cart' },
    name: 'root',
    of: canary({ stableService: 'stable' }),
    selected: true,
  },
  'RoutedByRollout has an endpoint and no share': {
    selector: { app: 'cart' },
    of: canary({ trafficRouting: { nginx: { stableIngress: 'cart' } } }),
    selected: true,
    reason: 'RoutedByRollout',
  },
  'A Service on one pod’s name is PinnedToPod': {
    selector: { [POD_NAME]: 'cart-0' },
    of: numbered(),
    selected: false,
    reason: 'PinnedToPod',
    says: `it is for one pod of the source (${POD_NAME}=cart-0)`,
  },
  'A Service on a number that the fork has too is selected': {
    selector: { app: 'cart', [POD_INDEX]: '0' },
    of: numbered(),
    selected: true,
  },
  'A Service on a number that the fork has not is PinnedToPod': {
    selector: { app: 'cart', [POD_INDEX]: '2' },
    of: numbered(),
    selected: false,
    reason: 'PinnedToPod',
  },
}

describe('the row of a Service', () => {
  for (const [sentence, { selector, name = 'cart', of = {}, ...expected }] of Object.entries(reasons))
    it(sentence, () => {
      const [row] = rows([service(name, selector)], [slice(name, ours, 'cart-1')], of)
      expect(row).to.include({ name, selected: expected.selected })
      expect(row?.reason).to.equal(expected.reason)
      if (expected.says) expect(row?.message).to.equal(expected.says)
      expect(row?.share !== undefined).to.equal(expected.selected && expected.reason === undefined)
    })
})

const hpa = (min: number, max: number): Neighbours['autoscalers'] => [
  { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min, max },
]
const bending: Record<string, readonly [Partial<ServiceView>, Neighbours['autoscalers'], string | undefined]> = {
  'nothing, as a rule': [{}, [], undefined],
  'an HPA of the source, between replicas/(max+replicas) and replicas/(min+replicas)': [
    {},
    hpa(2, 19),
    '5% to 33% as hpa/cart scales the source',
  ],
  'not an HPA of something else': [
    {},
    [{ name: 'x', target: { kind: 'StatefulSet', name: 'cart' }, min: 1, max: 2 }],
    undefined,
  ],
  sessionAffinity: [{ sessionAffinity: 'ClientIP' }, [], 'sessionAffinity ClientIP: new clients only'],
  'internalTrafficPolicy Local': [
    { internalTrafficPolicy: 'Local' },
    [],
    'internalTrafficPolicy Local: callers on its node only',
  ],
  trafficDistribution: [
    { trafficDistribution: 'PreferClose' },
    [],
    'trafficDistribution PreferClose: callers near it first',
  ],
  'several at once': [
    { sessionAffinity: 'ClientIP' },
    hpa(1, 1),
    '50% to 50% as hpa/cart scales the source; sessionAffinity ClientIP: new clients only',
  ],
}

describe('no row', () => {
  it('is there of a Service for one pod of another StatefulSet', () =>
    expect(rows([service('other-0', { [POD_NAME]: 'other-0' })], [], numbered())).to.deep.equal([]))
})

describe('what bends a share', () => {
  for (const [sentence, [of, autoscalers, message]] of Object.entries(bending))
    it(sentence, () => {
      const [row] = serviceShares({ services: [{ ...CART, ...of }], slices: [] }, sidesOf(pairOf(), autoscalers))
      expect(row?.message).to.equal(message)
    })

  it('other experiments', () => {
    const [row] = rows([CART], [slice('cart', ours, 'cart-1', 'cart-experiment-0123456789-7d9f-x')])
    expect(row?.message).to.equal('1 of the endpoints is another experiment')
  })
})
