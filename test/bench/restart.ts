import { heapFlags } from '../manifests/shipped.ts'
import { type Bench, type Figure, limitFigure, ratioFigure } from './figure.ts'
import { experiments } from './forks.ts'
import { inMB, type Usage } from './process-usage.ts'
import { type CrowdOf, type Restarted, restartFilled, withoutPods } from './restarted.ts'
import { withProduct } from './stand.ts'

const FORKS_OF_EACH = 1_000
/** Only the first have pods. */
const CROWDS: readonly CrowdOf[] = [experiments, withoutPods, withoutPods, withoutPods, withoutPods].map((side) => ({
  side,
  count: FORKS_OF_EACH,
}))
const ALL = CROWDS.length * FORKS_OF_EACH
const OF = { crowds: CROWDS, fillingMs: 1_200_000, quietMs: 20_000 }
const LIMIT_MB = 256

/** What a restart is judged by. */
export type Judged = Pick<Restarted, 'count' | 'writes' | 'none' | 'first' | 'filled' | 'end'>

/**
 * The figures of a restart with `count` forks, of which the first `firstCount` were created at once. A restart with
 * fewer than `all` is one of its lines, which then does not hold.
 */
export function restartFigures(
  { count, writes, none, first, filled, end }: Judged,
  { all, firstCount }: { readonly all: number; readonly firstCount: number },
): readonly Figure[] {
  const peak = (name: string, { peakMiB }: Usage): Figure =>
    limitFigure({ name, value: inMB(peakMiB), unit: 'MB', against: inMB(none.residentMiB), atMost: LIMIT_MB })
  return [
    ratioFigure({ name: 'forks before the restart', value: count, unit: 'forks', against: all, atLeast: 1 }),
    limitFigure({ name: `restart, ${count} forks`, value: writes.length, unit: 'writes', against: count, atMost: 0 }),
    peak(`memory, ${firstCount} created at once`, first),
    peak(`memory, ${count} created`, filled),
    peak(`memory, restart with ${count}`, end),
  ]
}

/** What a restarted controller writes, and the memory of the controller beside that with no forks. */
export const restart: Bench = {
  name: 'restart',
  measures: `a restart with ${ALL} forks, of which ${FORKS_OF_EACH} have pods, and the memory of the controller`,
  async run(tell) {
    const measure = (stand: Parameters<typeof restartFilled>[0]) => restartFilled(stand, tell, OF)
    const restarted = await withProduct(tell, measure, { controllerFlags: heapFlags() })
    const { count } = restarted
    if (count < ALL)
      tell(`only ${count} of ${ALL} forks were created within ${OF.fillingMs / 1_000} s: this does not hold`)
    return restartFigures(restarted, { all: ALL, firstCount: FORKS_OF_EACH })
  },
}
