/** What the account of the controller may do if all components are installed, and what it may not do. */
import { EXPERIMENT_ID, GATE } from '../../common/api/names.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { rollout } from '../../common/workload/rollout.ts'

/** The namespace in which it tries that. */
export const NAMESPACE = '/api/v1/namespaces/default'
/** The Rollouts of that namespace. */
export const ROLLOUTS = resourcePath(rollout, { namespace: 'default' })
export const ONLY_FORKS = 'the controller of experiments may open and shut only pods of forks'
const ONLY_GATE = 'the controller of experiments may change only the gate of a pod'
const ONLY_SWITCH = 'the controller of experiments may only switch a Service to a fork and back'
const ONLY_SKIP = 'the controller of experiments may change nothing in the status of a Rollout but skip its steps'
const ONLY_SOURCES = 'the controller of experiments may write only forks, and sources by a promotion'

const condition = (type: string, status: string) => ({ type, status })
export const opening = { conditions: [condition(GATE, 'True')] }

/** What a request may be: a patch of a path, and the words of the refusal. */
export interface Attempt {
  readonly path: string
  readonly patch: object
  readonly type?: 'merge' | 'strategic' | 'json'
  readonly says: string
}
export const ofPod = (patch: object, says: string, name = 'fork'): Attempt => ({
  ...{ path: `${NAMESPACE}/pods/${name}/status`, patch, says },
  type: 'strategic',
})
const ofService = (patch: object, says: string, name = 'cart'): Attempt => ({
  ...{ path: `${NAMESPACE}/services/${name}`, patch, says },
})
const ofRollout = (status: object, says: string, name = 'cart'): Attempt => ({
  ...{ path: `${ROLLOUTS}/${name}/status`, patch: { status }, says },
})
const removal = (path: string) => [{ op: 'remove', path }]

export const ATTEMPTS: Readonly<Record<string, Attempt>> = {
  'opens a pod of a fork': ofPod({ status: opening }, 'accepted'),
  'opens a pod of a fork with the time, the reason and a message': ofPod(
    { status: { conditions: [{ ...condition(GATE, 'True'), reason: 'Opened', message: 'at 10%' }] } },
    'accepted',
  ),
  'shuts a pod of a fork that is being deleted': ofPod(
    { status: { conditions: [condition(GATE, 'False')] } },
    'accepted',
    'deleting',
  ),
  'opens no other pod': ofPod({ status: opening }, ONLY_FORKS, 'other'),
  'opens no other pod by making its labels those of a fork': ofPod(
    { metadata: { labels: { [EXPERIMENT_ID]: 'x' } }, status: opening },
    ONLY_FORKS,
    'other',
  ),
  'does not take the label from a pod of a fork': ofPod(
    { metadata: { labels: { [EXPERIMENT_ID]: null } } },
    ONLY_FORKS,
  ),
  'does not change the condition of another gate': ofPod(
    { status: { conditions: [condition('example.com/other', 'False')] } },
    ONLY_GATE,
  ),
  'does not change another condition together with the gate': ofPod(
    { status: { conditions: [condition(GATE, 'True'), condition('ContainersReady', 'False')] } },
    ONLY_GATE,
  ),
  'does not remove the other conditions': { ...ofPod({ status: opening }, ONLY_GATE), type: 'merge' },
  'does not remove all conditions': {
    ...ofPod(removal('/status/conditions'), ONLY_GATE),
    type: 'json',
  },
  'does not change the phase of a pod': ofPod({ status: { phase: 'Failed' } }, ONLY_GATE),
  'does not add to the status of a pod': ofPod({ status: { message: 'evicted' } }, ONLY_GATE),
  'does not change the address of a pod': {
    ...ofPod({ status: { podIP: '10.9.9.9', podIPs: [{ ip: '10.9.9.9' }] } }, ONLY_GATE),
    type: 'merge',
  },
  'does not take what else the status of a pod has': {
    ...ofPod(removal('/status/startTime'), ONLY_GATE),
    type: 'json',
  },
  'does not change a label of a pod': ofPod({ metadata: { labels: { app: 'till' } } }, ONLY_GATE),
  'does not annotate a pod': ofPod({ metadata: { annotations: { note: 'a' } } }, ONLY_GATE),

  'switches a Service to a fork': ofService({ spec: { selector: { [EXPERIMENT_ID]: 'x' } } }, 'accepted'),
  'switches a Service to a fork whose pods are not ready': ofService(
    { spec: { selector: { [EXPERIMENT_ID]: 'x' }, publishNotReadyAddresses: true } },
    'accepted',
  ),
  'switches a Service back': ofService(
    { spec: { selector: { [EXPERIMENT_ID]: null }, publishNotReadyAddresses: null } },
    'accepted',
    'switched',
  ),
  'switches a Service from one fork to another': ofService(
    { spec: { selector: { [EXPERIMENT_ID]: 'y' } } },
    'accepted',
    'switched',
  ),
  'does not change another key of a selector': ofService({ spec: { selector: { app: 'till' } } }, ONLY_SWITCH),
  'does not add another key to a selector': ofService({ spec: { selector: { track: 'b' } } }, ONLY_SWITCH),
  'does not take another key from a selector': ofService({ spec: { selector: { tier: null } } }, ONLY_SWITCH),
  'does not take a whole selector': ofService({ spec: { selector: null } }, ONLY_SWITCH),
  'does not change the ports of a Service': ofService({ spec: { ports: [{ name: 'http', port: 81 }] } }, ONLY_SWITCH),
  'does not change the ports of a Service together with the key': ofService(
    { spec: { selector: { [EXPERIMENT_ID]: 'x' }, ports: [{ name: 'http', port: 80, targetPort: 9 }] } },
    ONLY_SWITCH,
  ),
  'does not change the type of a Service': ofService({ spec: { type: 'NodePort' } }, ONLY_SWITCH),
  'does not give a Service addresses': ofService({ spec: { externalIPs: ['192.0.2.1'] } }, ONLY_SWITCH),
  'does not change a label of a Service': ofService({ metadata: { labels: { team: 'bank' } } }, ONLY_SWITCH),
  'does not take a label from a Service': ofService({ metadata: { labels: { team: null } } }, ONLY_SWITCH),
  'does not annotate a Service': ofService({ metadata: { annotations: { more: 'b' } } }, ONLY_SWITCH),
  'does not hold a Service': ofService({ metadata: { finalizers: ['example.com/hold'] } }, ONLY_SWITCH),

  'skips the steps of a Rollout': ofRollout({ promoteFull: true }, 'accepted'),
  'skips the steps of a Rollout without a status': ofRollout({ promoteFull: true }, 'accepted', 'new'),
  'does not tell a Rollout to make its steps': ofRollout({ promoteFull: false }, ONLY_SKIP),
  'does not write the status of a Rollout without skipping its steps': ofRollout({}, ONLY_SKIP),
  'does not change the status of a Rollout': ofRollout({ stableRS: 'b' }, ONLY_SKIP),
  'does not change the status of a Rollout while it skips its steps': ofRollout(
    { promoteFull: true, stableRS: 'b' },
    ONLY_SKIP,
  ),
  'does not abort a Rollout while it skips its steps': ofRollout({ promoteFull: true, abort: true }, ONLY_SKIP),
  'does not take what else the status of a Rollout has': ofRollout(
    { promoteFull: true, currentStepIndex: null },
    ONLY_SKIP,
  ),
  'does not change the spec of a Rollout under its own name': {
    ...{ path: `${ROLLOUTS}/cart`, patch: { spec: { replicas: 0 } }, says: ONLY_SOURCES },
  },
}
