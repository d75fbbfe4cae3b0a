/** A canary that has made its source smaller, which somebody else scales then. */
import { SCALED } from '../../../common/api/names.ts'
import { aDeployment, anExperiment, UID } from '../../builders.ts'
import { AVAILABLE, type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'

const strategy = { canary: { scaleDownSource: true, steps: [{ setWeight: 20 }, { pause: {} }] } }
const counts = (replicas: number) => ({
  ...{ ...AVAILABLE, replicas },
  ...{ updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas },
})
const source = aDeployment({ labels: { [SCALED]: `${UID}.11.9` }, spec: { replicas: 9 } })
const isHeld = ({ words }: ControllerWorld): boolean => words().includes('SourceScaled')

export const SCALED_SOURCE = {
  'the size of the source': {
    objects: {
      [PATHS.experiment]: stored(anExperiment({ strategy })),
      [PATHS.source]: { ...stored(source), status: counts(9) },
    },
    change: (world: ControllerWorld) =>
      world.change(PATHS.source, ({ spec, metadata }) => ({
        spec: { ...(spec as object), replicas: 7 },
        metadata: { ...metadata, generation: 2 },
      })),
    isSeen: isHeld,
  },
  'the label of the source': {
    objects: {
      [PATHS.experiment]: stored(
        anExperiment({
          strategy,
          status: {
            strategy: {
              ...{ run: '', revision: '', path: 'Forward', phase: 'Progressing', stepIndex: 0, stepName: '', step: '' },
              since: '2026-11-21T10:00:00.000Z',
              scaled: { uid: 'uid-of-cart', size: 11, written: 9 },
            },
          },
        }),
      ),
      [PATHS.source]: { ...stored(source), status: counts(9) },
    },
    change: (world: ControllerWorld) =>
      world.change(PATHS.source, ({ metadata }) => ({ metadata: { ...metadata, labels: { app: 'cart' } } })),
    isSeen: isHeld,
  },
}
