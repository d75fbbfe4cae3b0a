/** An experiment expires, and its fork does not lose its pods. */
import { anExperiment } from '../../builders.ts'
import { type ControllerWorld, PATHS, stored } from '../../fakes/controller.ts'

export const STAYING_PODS = {
  objects: { [PATHS.experiment]: stored(anExperiment({ ttlSeconds: 301 })) },
  change: (world: ControllerWorld) => world.pass(1_500),
  isSeen: ({ server }: ControllerWorld) => server.at(PATHS.fork) === undefined,
  withinMs: 60_000,
}
