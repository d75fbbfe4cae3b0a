import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../common/api/object.ts'
import { collisions } from '../../../common/workload/collisions.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import {
  autoscalerView,
  budgetView,
  type Neighbours,
  NO_NEIGHBOURS,
  networkPolicyView,
} from '../../../common/workload/neighbours.ts'
import type { ServiceView } from '../../../common/workload/services.ts'
import { sidesOf } from '../../../common/workload/sides.ts'
import { aDeployment, aFork, FORK } from '../../builders.ts'

interface Case {
  readonly source?: KubeObject | undefined
  readonly labels?: Readonly<Record<string, string | null>>
  readonly services?: readonly ServiceView[]
  readonly neighbours?: Partial<Neighbours>
  readonly warns: readonly string[]
}

const CART = { app: 'cart' }
const OTHER = { app: 'other' }
const ALL = {}
const select = (name: string, matchLabels: Readonly<Record<string, string>>) => ({ name, selector: { matchLabels } })
const hpa = (name: string) => ({ name: 'scaler', target: { kind: 'Deployment', name }, min: 1, max: 9 })
const pod = (of: JsonObject): KubeObject => aDeployment({ pod: of })
const apart = (term: JsonObject): KubeObject =>
  pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } })
const TERM = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: CART } }

const cases: Record<string, Case> = {
  'nobody is met by a plain copy alone': { services: [{ name: 'cart', selector: CART }], warns: [] },
  'JoinsService by an overridden label': {
    labels: OTHER,
    services: [{ name: 'other', selector: OTHER }],
    warns: ["[JoinsService] service/other: not the source's, and yet its requests reach the experiment"],
  },
  'LeavesService by an overridden label': {
    labels: OTHER,
    services: [{ name: 'cart', selector: CART }],
    warns: ["[LeavesService] service/cart: the source's alone; the experiment lacks app=cart"],
  },
  'several left Services in one warning': {
    labels: OTHER,
    services: ['c', 'b', 'a'].map((name) => ({ name, selector: CART })),
    warns: ["[LeavesService] service/a, service/b and 1 more: the source's alone; the experiment lacks app=cart"],
  },
  'no word of a Service for one revision: its row says more': {
    source: aDeployment({ podLabels: { 'pod-template-hash': 'x' } }),
    services: [{ name: 'cart', selector: { ...CART, 'pod-template-hash': 'x' } }],
    warns: [],
  },
  'no word of joining while the source is not there': {
    source: undefined,
    services: [{ name: 'cart', selector: CART }],
    neighbours: { networkPolicies: [select('np', CART)] },
    warns: [],
  },
  'JoinsNetworkPolicy and LeavesNetworkPolicy by an overridden label': {
    labels: OTHER,
    neighbours: { networkPolicies: [select('cart', CART), select('other', OTHER), select('all', ALL)] },
    warns: [
      '[JoinsNetworkPolicy] networkpolicy/other: holds for the experiment, not for the source',
      '[LeavesNetworkPolicy] networkpolicy/cart: holds for the source, not for the experiment',
    ],
  },
  'CountedByHPA where the source is scaled by one': {
    neighbours: { autoscalers: [hpa('cart')] },
    warns: ["[CountedByHPA] hpa/scaler averages over the experiment's pods too when it scales the source"],
  },
  'no CountedByHPA where the selector of the source leaves the fork out': {
    labels: OTHER,
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [],
  },
  'ScaledByHPA where the fork is': {
    neighbours: { autoscalers: [hpa(FORK)] },
    warns: ['[ScaledByHPA] hpa/scaler scales the fork, which is set back; let it scale expd/faster-cart'],
  },
  'CountedByPDB where both are': {
    neighbours: { budgets: [select('cart', CART), select('other', OTHER)] },
    warns: ["[CountedByPDB] pdb/cart counts the experiment's pods: ready or not, they move what it allows"],
  },
  'SharedAffinity by required anti-affinity': {
    source: apart(TERM),
    warns: ["[SharedAffinity] required anti-affinity counts the source's pods too: pods may stay Pending"],
  },
  'no SharedAffinity where each revision is apart': {
    source: apart({ ...TERM, matchLabelKeys: ['pod-template-hash'] }),
    warns: [],
  },
  'SharedAffinity by a required topology spread': {
    source: pod({ topologySpreadConstraints: [{ ...TERM, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }),
    warns: ["[SharedAffinity] topology spread counts the source's pods too: pods may stay Pending"],
  },
  'no SharedAffinity by a wish': {
    source: pod({ topologySpreadConstraints: [{ ...TERM, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' }] }),
    warns: [],
  },
}

describe('collisions', () => {
  for (const [sentence, { labels, services = [], neighbours, warns, ...of }] of Object.entries(cases))
    it(sentence, () => {
      const source = Object.hasOwn(of, 'source') ? of.source : aDeployment()
      const pair = { kind: deployment, source, referents: [], fork: aFork(source, labels ? { labels } : {}) }
      const all = { ...NO_NEIGHBOURS, ...neighbours }
      const found = collisions({ pair, sides: sidesOf(pair, all.autoscalers), services, neighbours: all })
      const lines = found.map(({ reason, message }) => `[${reason}] ${message}`)
      expect(lines).to.deep.equal(warns)
      for (const line of lines) expect(line.length).to.be.at.most(120)
    })
})

describe('the projections of neighbours', () => {
  const object = (spec: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'n' }, spec })
  const target = { kind: 'Deployment', name: 'cart' }

  it('keep of an HPA its target and bounds, of which the lower one may be left out', () =>
    expect(
      autoscalerView(object({ scaleTargetRef: { apiVersion: 'apps/v1', ...target }, maxReplicas: 9 })),
    ).to.deep.equal({ name: 'n', target, min: 1, max: 9 }))
  it('keep of a PDB its selector, if it has one', () => {
    expect(budgetView(object({ selector: {} }))).to.deep.equal({ name: 'n', selector: {} })
    expect(budgetView(object({}))).to.deep.equal({ name: 'n', selector: undefined })
  })
  it('keep of a NetworkPolicy its selector, and all pods where it has none', () => {
    expect(networkPolicyView(object({ podSelector: { matchLabels: CART } })).selector).to.deep.equal({
      matchLabels: CART,
    })
    expect(networkPolicyView(object({})).selector).to.deep.equal({})
  })
})
