/** Another client scales the fork, and each change is undone. */
import { type ControllerWorld, PATHS } from '../../fakes/controller.ts'

/** Scales the fork so many times, after each repair. */
async function scaledTimes(world: ControllerWorld, times: number): Promise<void> {
  for (let nth = 1; nth <= times; nth += 1) {
    world.change(PATHS.fork, ({ spec, metadata }) => ({
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...(spec as object), replicas: 4 },
    }))
    if (nth < times) await world.pass(500)
  }
}

export const SCALED_TWICE = {
  change: (world: ControllerWorld) => scaledTimes(world, 2),
  isSeen: ({ server }: ControllerWorld) => server.diary.filter((line) => line === `apply ${PATHS.fork}`).length === 3,
}

/** After three repairs the next one waits, and it is told why. */
export const SCALED_AGAIN = { change: (world: ControllerWorld) => scaledTimes(world, 4), withinMs: 250 }
