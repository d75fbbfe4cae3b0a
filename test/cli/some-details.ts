/** An experiment with all that belongs to it, as it is stored. */
import type { KubeObject } from '../../common/api/object.ts'
import { aDeployment, aFork, FORK } from '../builders.ts'
import { CART, FASTER_CART } from './a-plugin.ts'
import { aCondition, aSteered } from './some-experiments.ts'

const RUN = `${FORK}-a932ba8afd`
const CREATED = { creationTimestamp: '2026-11-28T13:59:00Z', namespace: 'shop' }
const fork = aFork()

/** `faster-cart` at the pause of its second step, with an analysis. */
export const PAUSED = aSteered({
  run: {},
  spec: { analysis: {} },
  conditions: [
    aCondition('Ready', 'True', 'Available'),
    aCondition('Paused', 'True', 'PauseDuration', 'until 2026-11-28T15:05:00Z, or until somebody resumes it'),
  ],
  status: {
    ...{ pods: '1/1', share: '8%', expiresAt: '2026-11-28T16:16:00Z' },
    experimentResourceRef: {
      ...{
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: FORK,
        namespace: 'shop',
        uid: 'uid-of-fork',
        generation: 1,
      },
    },
    services: [{ name: 'cart', selected: true, share: '8%', experimentEndpoints: 1, readyEndpoints: 13 }],
    analysis: {
      ...{ run: RUN, verdict: 'Wait', reason: 'Waiting', message: 'needs about 9m more', attempt: 1 },
      since: '2026-11-28T14:05:00Z',
    },
  },
})

const METRIC = {
  ...{ name: 'latency', verdict: 'Wait', reason: 'Waiting', since: '2026-11-28T14:05:00Z' },
  samples: { control: 12_000, treatment: 1_000 },
  harm: { logE: 0, needs: Math.log(80) },
  safe: [{ part: 'body', logE: Math.log(3), needs: Math.log(40) }],
  effect: { estimate: 3.2, atLeast: -5, atMost: 15, of: 'median' },
  state: [1, 2, 3],
}

const ANALYSIS_RUN: KubeObject = {
  apiVersion: 'experimentcontroller.example.com/v1alpha1',
  kind: 'ExperimentAnalysisRun',
  metadata: { name: RUN, uid: 'uid-of-run', ...CREATED, creationTimestamp: '2026-11-28T14:00:00Z' },
  spec: {
    experiment: { name: 'faster-cart', uid: PAUSED.metadata.uid, generation: 1 },
    ...{ subject: 'abc', attempt: 1, control: 'Source', alpha: 0.05, beta: 0.05, minSamples: 500 },
    metrics: [{ name: 'health', kind: 'Health', provider: 'kubernetes', dryRun: false }],
  },
  status: {
    ...{ verdict: 'Wait', reason: 'Waiting', message: 'needs about 9m more', since: '2026-11-28T14:05:00Z' },
    ...{ looks: 20, requests: 1_000, windows: { counted: 20, empty: 0, unusable: 0, skipped: 0 }, metrics: [METRIC] },
  },
}

const POD: KubeObject = {
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: {
    ...{ name: `${FORK}-75-tnz`, uid: 'uid-of-pod', ...CREATED },
    labels: { 'experiment-controller.example.com/experiment-id': 'cd1aa1c99c' },
  },
  spec: { nodeName: 'node-2', containers: [{ name: 'cart' }] },
  status: {
    ...{ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    containerStatuses: [{ name: 'cart', ready: true, restartCount: 0, state: { running: {} } }],
  },
}

/** All objects, by their paths. */
export const DETAILS: Readonly<Record<string, KubeObject>> = {
  [FASTER_CART]: PAUSED,
  [CART]: aDeployment({ spec: { replicas: 12 } }),
  [`/apis/apps/v1/namespaces/shop/deployments/${FORK}`]: {
    ...fork,
    metadata: { ...fork.metadata, uid: 'uid-of-fork', ...CREATED },
    status: { readyReplicas: 1 },
  },
  [`/api/v1/namespaces/shop/pods/${FORK}-75-tnz`]: POD,
  [`/apis/experimentcontroller.example.com/v1alpha1/namespaces/shop/experimentanalysisruns/${RUN}`]: ANALYSIS_RUN,
}
