import { at, listOr } from '../../../common/json/json.ts'
import type { RunWorld } from '../plan/some-run.ts'

/** The image of the first container of the source. */
export const imageIn = ({ world }: RunWorld) =>
  at(listOr(at(world.source?.spec, 'template', 'spec', 'containers'))[0], 'image')
export const promotionIn = ({ world }: RunWorld) => world.experiment.status?.promotion
export const messageOf = ({ world }: RunWorld, type = 'Ready') =>
  world.experiment.status?.conditions?.find((each) => each.type === type)?.message
/** The writes of all passes until the run rests. */
export const writesOf = (run: RunWorld): readonly string[] => run.rest().map(({ verb, role }) => `${verb} ${role}`)
