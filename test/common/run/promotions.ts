import { at, listOr, objectOr } from '../../../common/json/json.ts'
import { recordIdOf } from '../../../common/situation/promotion.ts'
import type { RunWorld } from '../plan/some-run.ts'

/** The image of the first container of the source. */
export const imageIn = ({ world }: RunWorld) =>
  at(listOr(at(world.source?.spec, 'template', 'spec', 'containers'))[0], 'image')
export const promotionIn = ({ world }: RunWorld) => world.experiment.status?.promotion
/** The writes of all passes until the run rests. */
export const writesOf = (run: RunWorld): readonly string[] => run.rest().map(({ verb, role }) => `${verb} ${role}`)

/** Makes the record of the run that of an earlier version, which has no list of changes. */
export function withFormerRecord({ world }: RunWorld): void {
  const { changes: _new, ...data } = objectOr(world.record?.data)
  if (!world.record || !world.experiment.status?.promotion) throw new Error('there is a record')
  world.record = { ...world.record, data }
  const promotion = { ...world.experiment.status.promotion, record: recordIdOf(world.record) }
  world.experiment = { ...world.experiment, status: { ...world.experiment.status, promotion } }
}
