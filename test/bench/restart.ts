import { type Bench, type Figure, limitFigure } from './figure.ts'
import { experiments } from './forks.ts'
import { type CrowdOf, type Restarted, restartFilled, withoutPods } from './restarted.ts'
import { withProduct } from './stand.ts'

const FORKS_OF_EACH = 1_000
/** Only the first have pods. */
const CROWDS: readonly CrowdOf[] = [experiments, withoutPods, withoutPods, withoutPods, withoutPods].map((side) => ({
  side,
  count: FORKS_OF_EACH,
}))
const OF = { crowds: CROWDS, fillingMs: 360_000, quietMs: 20_000 }

const figuresOf = ({ count, writes, none, end }: Restarted): readonly Figure[] => [
  limitFigure({ name: `restart, ${count} forks`, value: writes.length, unit: 'writes', against: count, atMost: 0 }),
  limitFigure({
    name: `memory, ${count} forks`,
    value: end.peakMiB,
    unit: 'MiB',
    against: none.residentMiB,
    atMost: 256,
  }),
]

/** What a restarted controller writes, and its memory beside that with no forks. */
export const restart: Bench = {
  name: 'restart',
  measures: `a restart with ${CROWDS.length * FORKS_OF_EACH} forks, of which ${FORKS_OF_EACH} have pods`,
  run: (tell) => withProduct(tell, async (stand) => figuresOf(await restartFilled(stand, tell, OF))),
}
