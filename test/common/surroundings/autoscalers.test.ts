import { expect } from 'chai'
import type { AutoscalerView } from '../../../common/surroundings/neighbours.ts'
import { aDeployment, FORK } from '../../builders.ts'
import { type Colliding, collisionLines, TWIN } from './rows.ts'

interface Case extends Colliding {
  readonly warns: readonly string[]
}

const OTHER = { app: 'other' }
const hpa = (name: string, of: Partial<AutoscalerView> = {}): AutoscalerView => ({
  name: 'scaler',
  target: { kind: 'Deployment', name },
  min: 1,
  max: 9,
  isOnCpu: true,
  ...of,
})
const second = (kind: string, target: string) => hpa(target, { name: 'second', target: { kind, name: target } })
const AMBIGUOUS =
  '[AmbiguousHPA] hpa/scaler stops scaling the source while hpa/second selects pods of the fork, too; keep only hpa/scaler, and use kubectl scale'
const REQUESTS = { resources: { requests: { cpu: '100m', memory: '1Gi' } } }
const REQUESTING = aDeployment({ container: REQUESTS })
const BARE = { containers: [{ name: 'cart', image: 'x' }] }
const COUNTED = "[CountedByHPA] hpa/scaler includes the fork's pods in its average when it scales the source"

const cases: Record<string, Case> = {
  'CountedByHPA if an HPA scales the source': {
    neighbours: { autoscalers: [hpa('cart')] },
    warns: [COUNTED],
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
    neighbours: { autoscalers: [hpa('cart', { isOnCpu: false })] },
    warns: [COUNTED],
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
  'ScaledByHPA without an experiment to target if that is in another namespace': {
    isElsewhere: true,
    neighbours: { autoscalers: [hpa(FORK)] },
    warns: ['[ScaledByHPA] hpa/scaler scales the fork, but the controller resets it; use kubectl scale instead'],
  },
  'AmbiguousHPA if one HPA scales the source and another one the experiment': {
    neighbours: { autoscalers: [hpa('cart'), second('ExperimentDeployment', 'faster-cart')] },
    warns: [AMBIGUOUS],
  },
  'AmbiguousHPA if the other one scales the fork': {
    neighbours: { autoscalers: [hpa('cart'), second('Deployment', FORK)] },
    warns: [AMBIGUOUS],
  },
  'AmbiguousHPA if the other one scales the twin': {
    neighbours: { autoscalers: [hpa('cart'), second('Deployment', TWIN)] },
    warns: [AMBIGUOUS],
  },
  'one AmbiguousHPA for several others': {
    neighbours: {
      autoscalers: [second('ExperimentDeployment', 'faster-cart'), hpa('cart'), hpa(FORK, { name: 'first' })],
    },
    warns: [
      '[AmbiguousHPA] hpa/scaler stops scaling the source while hpa/first, hpa/second select pods of the fork, too; keep only hpa/scaler, and use kubectl scale',
    ],
  },
  'no AmbiguousHPA for an HPA of an experiment of the same name in the namespace of the source': {
    isElsewhere: true,
    neighbours: { autoscalers: [hpa('cart'), second('ExperimentDeployment', 'faster-cart')] },
    warns: [COUNTED],
  },
  'no AmbiguousHPA if the HPA of the source does not count the fork': {
    labels: OTHER,
    neighbours: { autoscalers: [hpa('cart'), second('ExperimentDeployment', 'faster-cart')] },
    warns: [],
  },
  'no AmbiguousHPA if only the experiment has an HPA': {
    neighbours: { autoscalers: [second('ExperimentDeployment', 'faster-cart')] },
    warns: [],
  },
  'BreaksHPA if the fork lacks a request': {
    source: REQUESTING,
    override: BARE,
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu' }] })] },
    warns: [
      '[BreaksHPA] hpa/scaler stops scaling the source: the fork lacks resources.requests.cpu of container cart; add it to the override',
    ],
  },
  'no BreaksHPA if the source lacks the request, too: a LimitRange may set it': {
    override: BARE,
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu' }] })] },
    warns: [COUNTED],
  },
  'BreaksHPA for a renamed container': {
    source: REQUESTING,
    override: { containers: [{ ...REQUESTS, name: 'web', image: 'x' }] },
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu', container: 'cart' }] })] },
    warns: ['[BreaksHPA] hpa/scaler stops scaling the source: the fork lacks container cart; add it to the override'],
  },
  'one BreaksHPA for several metrics': {
    source: REQUESTING,
    override: BARE,
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu' }, { resource: 'memory' }] })] },
    warns: [
      '[BreaksHPA] hpa/scaler stops scaling the source: the fork lacks resources.requests.cpu of container cart, resources.requests.memory of container cart; add it to the override',
    ],
  },
  'BreaksHPA that still scales up by another metric': {
    source: REQUESTING,
    override: { containers: [{ name: 'cart', image: 'x', resources: { requests: { memory: '1Gi' } } }] },
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu' }, { resource: 'memory' }] })] },
    warns: [
      '[BreaksHPA] hpa/scaler does not scale the source down: the fork lacks resources.requests.cpu of container cart; add it to the override',
    ],
  },
  'BreaksHPA that still scales up by a metric without requests': {
    source: REQUESTING,
    override: BARE,
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu' }], hasOtherMetrics: true })] },
    warns: [
      '[BreaksHPA] hpa/scaler does not scale the source down: the fork lacks resources.requests.cpu of container cart; add it to the override',
    ],
  },
  'no BreaksHPA for an HPA that does not count the fork': {
    source: REQUESTING,
    override: BARE,
    labels: OTHER,
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu' }] })] },
    warns: [],
  },
  'AmbiguousHPA and BreaksHPA': {
    source: REQUESTING,
    override: BARE,
    neighbours: { autoscalers: [hpa('cart', { needs: [{ resource: 'cpu' }] }), second('Deployment', FORK)] },
    warns: [
      AMBIGUOUS,
      '[BreaksHPA] hpa/scaler stops scaling the source: the fork lacks resources.requests.cpu of container cart; add it to the override',
    ],
  },
}

describe('autoscalers', () => {
  for (const [sentence, { warns, ...of }] of Object.entries(cases))
    it(`gives ${sentence}`, () => expect(collisionLines(of)).to.deep.equal(warns))
})
