/** A canary whose first step is a pause of an hour. */
import { anExperiment } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'

const strategy = { canary: { steps: [{ pause: { duration: '1h' } }, { pause: {} }] } }

export const END_OF_PAUSE = {
  objects: { [PATHS.experiment]: stored(anExperiment({ strategy })) },
  change: (world: ControllerWorld) => world.pass(3_600_000),
  isSeen: (world: ControllerWorld) => world.status()?.strategy?.stepIndex === 1,
}
