/** An experiment that waits until somebody else has made its change in the source. */
import { anExperiment, imageOverride } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../quiet-controller.ts'

const IMAGE = 'registry.example/cart:2'

/** A promotion that needs no more pods than the one. */
const ONE_POD = { canary: { steps: [{ setWeight: 1 }], maxUnavailable: '50%' } }

export const PROMOTED_BY_OTHERS = {
  objects: {
    [PATHS.experiment]: stored(
      anExperiment({ overrideSpec: imageOverride(IMAGE), promotion: { mode: 'Export' }, strategy: ONE_POD }),
    ),
  },
  change: (world: ControllerWorld) =>
    world.change(`${PATHS.deployments}/cart`, ({ spec, metadata }) => ({
      spec: { ...(spec as object), ...imageOverride(IMAGE) },
      metadata: { ...metadata, generation: 2 },
      status: { observedGeneration: 2 },
    })),
  isSeen: (world: ControllerWorld) => world.status()?.promotion?.written !== undefined,
}
