/** An experiment that waits until somebody else has made its change in the source. */
import type { KubeObject } from '../../../common/api/object.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import { anExperiment, imageOverride } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'

const IMAGE = 'registry.example/cart:2'

/** A promotion that needs no more pods than the one. */
const ONE_POD = { canary: { steps: [{ setWeight: 1 }], maxUnavailable: '50%' } }

/** An API server that leaves out what the override says. */
function withoutProcesses(object: KubeObject): KubeObject {
  if (object.spec === undefined) return object
  return {
    ...object,
    spec: mergePatch(object.spec as JsonObject, { template: { spec: { shareProcessNamespace: null } } }),
  }
}

/** The same, where only the API server can tell whether the source has the change. It does not answer at first. */
export const ANSWERED_LATE = {
  objects: {
    [PATHS.experiment]: stored(
      anExperiment({
        overrideSpec: { template: { spec: { shareProcessNamespace: false } } },
        promotion: { mode: 'Export' },
        strategy: ONE_POD,
      }),
    ),
  },
  first: ({ server }: ControllerWorld) => {
    server.stores = withoutProcesses
    server.dryRun = () => {
      throw new KubeError({ kind: 'timeout', message: 'no answer' })
    }
  },
  change: ({ server, at }: ControllerWorld) => {
    server.dryRun = () => at(PATHS.source)
  },
  isSeen: (world: ControllerWorld) => world.status()?.promotion?.written !== undefined,
}

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
