/** A blue-green whose Service is limited to its fork although no step of it wants that. */
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'

const SERVICE = '/api/v1/namespaces/shop/services/cart'

export const PINNED_SERVICE = {
  objects: {
    [PATHS.experiment]: stored(anExperiment({ strategy: { blueGreen: { activeService: 'cart' } } })),
  },
  change: ({ server }: ControllerWorld) =>
    server.put(
      SERVICE,
      stored({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'cart', namespace: 'shop', uid: 'service' },
        spec: { selector: { app: 'cart', [EXPERIMENT_ID]: FORK.slice(-10) } },
      }),
    ),
  isSeen: ({ server }: ControllerWorld) => server.diary.includes(`patch ${SERVICE}`),
}
