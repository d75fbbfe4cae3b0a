import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { collisions } from '../../../common/surroundings/collisions.ts'
import { type Neighbours, NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import type { ServiceView } from '../../../common/surroundings/traffic.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { gated } from '../../../common/workload/gated-spec.ts'
import { aDeployment, aFork, FORK } from '../../builders.ts'

interface Case {
  readonly isGated?: boolean
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
const hpa = (name: string, isOnCpu = true) => ({
  name: 'scaler',
  target: { kind: 'Deployment', name },
  min: 1,
  max: 9,
  isOnCpu,
})
const pod = (of: JsonObject): KubeObject => aDeployment({ pod: of })
const apart = (term: JsonObject): KubeObject =>
  pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } })
const TERM = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: CART } }

const cases: Record<string, Case> = {
  'no warning for a fork with the labels of its source': { services: [{ name: 'cart', selector: CART }], warns: [] },
  'JoinsService for an overridden label': {
    labels: OTHER,
    services: [{ name: 'other', selector: OTHER }],
    warns: ['[JoinsService] the fork gets requests from service/other, the source does not'],
  },
  'no warning for a Service that a blue-green has limited to the fork for a while': {
    services: [{ name: 'cart', selector: { ...CART, [EXPERIMENT_ID]: 'cd1aa1c99c' } }],
    warns: [],
  },
  'LeavesService for an overridden label': {
    labels: OTHER,
    services: [{ name: 'cart', selector: CART }],
    warns: ['[LeavesService] the fork gets no requests from service/cart: it lacks app=cart'],
  },
  'one LeavesService for several Services': {
    labels: OTHER,
    services: ['c', 'b', 'a'].map((name) => ({ name, selector: CART })),
    warns: ['[LeavesService] the fork gets no requests from service/a, service/b and 1 more: it lacks app=cart'],
  },
  'no warning for a Service of one revision, which status.services explains': {
    source: aDeployment({ podLabels: { 'pod-template-hash': 'x' } }),
    services: [{ name: 'cart', selector: { ...CART, 'pod-template-hash': 'x' } }],
    warns: [],
  },
  'no warning while the source does not exist': {
    source: undefined,
    services: [{ name: 'cart', selector: CART }],
    neighbours: { networkPolicies: [select('np', CART)] },
    warns: [],
  },
  'JoinsNetworkPolicy and LeavesNetworkPolicy for an overridden label': {
    labels: OTHER,
    neighbours: { networkPolicies: [select('cart', CART), select('other', OTHER), select('all', ALL)] },
    warns: [
      '[JoinsNetworkPolicy] the fork is subject to networkpolicy/other, the source is not',
      '[LeavesNetworkPolicy] the source is subject to networkpolicy/cart, the fork is not',
    ],
  },
  'CountedByHPA if an HPA scales the source': {
    neighbours: { autoscalers: [hpa('cart')] },
    warns: ["[CountedByHPA] hpa/scaler includes the fork's pods in its average when it scales the source"],
  },
  'no CountedByHPA if the selector of the source does not match the fork': {
    labels: OTHER,
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [],
  },
  'HeldBackHPA if an HPA on CPU scales the source of a gated fork': {
    isGated: true,
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [
      '[HeldBackHPA] hpa/scaler takes pods that are shut for idle ones, so it scales the source up too late; keep the fork small until its pods are opened',
    ],
  },
  'CountedByHPA for a gated fork if the HPA is not on CPU': {
    isGated: true,
    neighbours: { autoscalers: [hpa('cart', false)] },
    warns: ["[CountedByHPA] hpa/scaler includes the fork's pods in its average when it scales the source"],
  },
  'no HeldBackHPA if the selector of the source does not match the gated fork': {
    isGated: true,
    labels: OTHER,
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [],
  },
  'no HeldBackHPA for an HPA of the gated fork': {
    isGated: true,
    neighbours: { autoscalers: [hpa(FORK)] },
    warns: ['[ScaledByHPA] hpa/scaler scales the fork, but the controller resets it; target expd/faster-cart instead'],
  },
  'ScaledByHPA if an HPA scales the fork': {
    neighbours: { autoscalers: [hpa(FORK)] },
    warns: ['[ScaledByHPA] hpa/scaler scales the fork, but the controller resets it; target expd/faster-cart instead'],
  },
  'CountedByPDB if a PDB selects both': {
    neighbours: { budgets: [select('cart', CART), select('other', OTHER)] },
    warns: ["[CountedByPDB] the fork's pods count for pdb/cart and change how many evictions are allowed"],
  },
  'SharedAffinity for required anti-affinity': {
    source: apart(TERM),
    warns: ["[SharedAffinity] the source's pods count for the required anti-affinity too: pods may stay Pending"],
  },
  'no SharedAffinity if the rule applies to each revision separately': {
    source: apart({ ...TERM, matchLabelKeys: ['pod-template-hash'] }),
    warns: [],
  },
  'SharedAffinity for a required topology spread': {
    source: pod({ topologySpreadConstraints: [{ ...TERM, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }),
    warns: ["[SharedAffinity] the source's pods count for the topology spread too: pods may stay Pending"],
  },
  'no SharedAffinity for a preferred topology spread': {
    source: pod({ topologySpreadConstraints: [{ ...TERM, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' }] }),
    warns: [],
  },
}

describe('collisions', () => {
  for (const [sentence, { isGated = false, labels, services = [], neighbours, warns, ...of }] of Object.entries(cases))
    it(`gives ${sentence}`, () => {
      const source = Object.hasOwn(of, 'source') ? of.source : aDeployment()
      const made = aFork(source, labels ? { labels } : {})
      const fork = isGated ? gated(deployment, made).fork : made
      const pair = { kind: deployment, source, referents: [], fork }
      const all = { ...NO_NEIGHBOURS, ...neighbours }
      const found = collisions({ pair, pods: trafficInput(pair, all.autoscalers), services, neighbours: all })
      const lines = found.map(({ reason, message }) => `[${reason}] ${message}`)
      expect(lines).to.deep.equal(warns)
      for (const line of lines) expect(line.length).to.be.at.most(256)
    })
})
