/** A canary inside the size of its source, which somebody else scales. */
import { anExperiment } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../quiet-controller.ts'

const CHANGED = 'changed'

/** The live reads of the source after the change. */
const readsOf = ({ server }: ControllerWorld): readonly string[] =>
  server.diary.slice(server.diary.lastIndexOf(CHANGED)).filter((line) => line === `get ${PATHS.source}`)

const strategy = { canary: { scaleDownSource: true, steps: [{ setWeight: 20 }, { pause: {} }] } }

export const SCALED_SOURCE = {
  objects: { [PATHS.experiment]: stored(anExperiment({ strategy })) },
  change: (world: ControllerWorld) => {
    world.server.diary.push(CHANGED)
    world.change(PATHS.source, ({ spec, metadata }) => ({
      spec: { ...(spec as object), replicas: 7 },
      metadata: { ...metadata, generation: 2 },
    }))
  },
  isSeen: (world: ControllerWorld) => world.server.diary.includes(CHANGED) && readsOf(world).length > 0,
}
