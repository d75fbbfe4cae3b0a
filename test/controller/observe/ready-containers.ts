/** A gated experiment whose only pod is opened when its containers are ready. */
import { EXPERIMENT_ID, GATE } from '../../../common/api/names.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'

const POD = `/api/v1/namespaces/shop/pods/${FORK}-6d4b75cb6d-x7k2p`
const conditions = (status: 'True' | 'False') => [{ type: 'ContainersReady', status }]

export const READY_CONTAINERS = {
  objects: {
    [PATHS.experiment]: stored(
      anExperiment({ traffic: { mode: 'Gated' }, strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } }),
    ),
    [POD]: stored({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: POD.slice(POD.lastIndexOf('/') + 1),
        namespace: 'shop',
        uid: 'pod',
        labels: { [EXPERIMENT_ID]: FORK.slice(-10) },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${FORK}-6d4b75cb6d`, uid: 'set', controller: true },
        ],
      },
      spec: { readinessGates: [{ conditionType: GATE }] },
      status: { conditions: conditions('False') },
    }),
  },
  change: (world: ControllerWorld) => world.change(POD, () => ({ status: { conditions: conditions('True') } })),
  isSeen: ({ server }: ControllerWorld) => server.diary.includes(`apply ${POD}/status`),
}
