import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { aDeployment, FORK } from '../../builders.ts'
import { type Colliding, collisionLines } from './rows.ts'

interface Case extends Colliding {
  readonly warns: readonly string[]
}

const CART = { app: 'cart' }
const OTHER = { app: 'other' }
const ALL = {}
const select = (name: string, matchLabels: Readonly<Record<string, string>>) => ({ name, selector: { matchLabels } })
const pod = (of: JsonObject): KubeObject => aDeployment({ pod: of })
const apart = (term: JsonObject): JsonObject => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
})
const TERM = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: CART } }
const SPREAD = { topologySpreadConstraints: [{ ...TERM, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }] }
const APART =
  '[SharedAffinity] required anti-affinity keeps the pods of fork and source apart: pods of both may stay Pending'

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
  'GateBypassed for a Service that publishes addresses of a gated fork that are not ready': {
    isGated: true,
    services: [{ name: 'cart', selector: CART, publishesNotReady: true }],
    warns: ['[GateBypassed] pods that are shut get requests from service/cart (publishNotReadyAddresses)'],
  },
  'GateBypassed for a load balancer that sends to pods': {
    isGated: true,
    services: [{ name: 'cart', selector: CART, balancedBy: 'cloud.google.com/neg' }],
    warns: ['[GateBypassed] pods that are shut get requests from service/cart (cloud.google.com/neg)'],
  },
  'GateBypassed for a load balancer that only the pods show': {
    isGated: true,
    isBalanced: true,
    services: [{ name: 'cart', selector: CART }],
    warns: ['[GateBypassed] pods that are shut get requests from a load balancer (its readiness gate is in them)'],
  },
  'one GateBypassed for several senders': {
    isGated: true,
    isBalanced: true,
    services: ['b', 'a', 'c'].map((name) => ({ name, selector: CART, publishesNotReady: true })),
    warns: [
      '[GateBypassed] pods that are shut get requests from service/a (publishNotReadyAddresses), service/b (publishNotReadyAddresses) and 1 more',
    ],
  },
  'no GateBypassed for the preview of a blue-green': {
    isGated: true,
    services: [{ name: 'p', selector: { ...CART, [EXPERIMENT_ID]: FORK.slice(-10) }, publishesNotReady: true }],
    warns: [],
  },
  'no GateBypassed for a Service that does not select the fork': {
    isGated: true,
    services: [{ name: 'other', selector: OTHER, publishesNotReady: true }],
    warns: [],
  },
  'no GateBypassed for a fork without a gate': {
    services: [{ name: 'cart', selector: CART, publishesNotReady: true, balancedBy: 'cloud.google.com/neg' }],
    warns: [],
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
  'N21: JoinsPDB and SeveralPDBs if a label of the override makes a second PDB select the fork': {
    neighbours: { budgets: [select('cart', CART), select('other', { part: 'a' })] },
    labels: { part: 'a' },
    warns: [
      "[CountedByPDB] the fork's pods count for pdb/cart and change how many evictions are allowed",
      '[JoinsPDB] the fork counts for pdb/other, the source does not',
      "[SeveralPDBs] the fork's pods can never be evicted, because they count for pdb/cart, pdb/other",
    ],
  },
  'CountedByPDB if a PDB selects both': {
    neighbours: { budgets: [select('cart', CART), select('other', OTHER)] },
    warns: ["[CountedByPDB] the fork's pods count for pdb/cart and change how many evictions are allowed"],
  },
  'SharedAffinity for required anti-affinity': {
    source: pod(apart(TERM)),
    warns: [APART],
  },
  'SharedAffinity if the override removed the anti-affinity, because the source keeps its own': {
    source: pod(apart(TERM)),
    override: { affinity: null },
    warns: [APART],
  },
  'SharedAffinity if the override changed the label, because the fork keeps its anti-affinity': {
    source: pod(apart(TERM)),
    labels: OTHER,
    warns: [APART],
  },
  'no SharedAffinity if the override changed both': {
    source: pod(apart(TERM)),
    labels: OTHER,
    override: { affinity: null },
    warns: [],
  },
  'SharedAffinity for both rules': {
    source: pod({ ...apart(TERM), ...SPREAD }),
    warns: [`${APART}; the source's pods count for the topology spread too: pods may stay Pending`],
  },
  'no SharedAffinity if the rule applies to each revision separately': {
    source: pod(apart({ ...TERM, matchLabelKeys: ['pod-template-hash'] })),
    warns: [],
  },
  'SharedAffinity for a required topology spread': {
    source: pod(SPREAD),
    warns: ["[SharedAffinity] the source's pods count for the topology spread too: pods may stay Pending"],
  },
  'no SharedAffinity for a preferred topology spread': {
    source: pod({ topologySpreadConstraints: [{ ...TERM, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' }] }),
    warns: [],
  },
}

describe('collisions', () => {
  for (const [sentence, { warns, ...of }] of Object.entries(cases))
    it(`gives ${sentence}`, () => expect(collisionLines(of)).to.deep.equal(warns))
})
