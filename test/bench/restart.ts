import { heapFlags } from '../manifests/shipped.ts'
import { type Bench, type Figure, limitFigure, plainFigure, ratioFigure } from './figure.ts'
import { experiments } from './forks.ts'
import { inMB, type Usage } from './process-usage.ts'
import { type CrowdOf, type Filled, type Restarted, restartFilled, withoutPods } from './restarted.ts'
import { withProduct } from './stand.ts'

const FORKS_OF_EACH = 1_000
/** Only the first have pods. */
const CROWDS: readonly CrowdOf[] = [experiments, withoutPods, withoutPods, withoutPods, withoutPods].map((side) => ({
  side,
  count: FORKS_OF_EACH,
}))
const ALL = CROWDS.length * FORKS_OF_EACH
/** Node gives memory back when a process has been idle for eight seconds. */
const SETTLED_MS = 12_000
const OF = { crowds: CROWDS, fillingMs: 1_200_000, settledMs: SETTLED_MS, quietMs: 20_000 }
const LIMIT_MB = 256
/** How much more memory a fork may need among many than among few. */
const SLOPE = 1.1

/** What a restart is judged by. */
export type Judged = Omit<Restarted, 'lists' | 'idle'>

/**
 * The figures of a restart with `count` forks, of which the first `firstCount` were created at once. A restart with
 * fewer than `all` is one of its lines, which then does not hold.
 */
export function restartFigures(
  { count, writes, none, crowds, filled, end, drainedAfterSeconds, listSeconds }: Judged,
  { all, firstCount }: { readonly all: number; readonly firstCount: number },
): readonly Figure[] {
  const first = crowds[0]?.usage ?? none
  const peak = (name: string, { peakMiB }: Usage): Figure =>
    limitFigure({ name, value: inMB(peakMiB), unit: 'MB', against: inMB(none.residentMiB), atMost: LIMIT_MB })
  return [
    ratioFigure({ name: 'forks before the restart', value: count, unit: 'forks', against: all, atLeast: 1 }),
    limitFigure({ name: `restart, ${count} forks`, value: writes.length, unit: 'writes', against: count, atMost: 0 }),
    plainFigure({
      name: `restart with ${count}, drained`,
      value: drainedAfterSeconds,
      unit: 's',
      against: listSeconds,
    }),
    peak(`memory, ${firstCount} created at once`, first),
    peak(`memory, ${count} created`, filled),
    peak(`memory, restart with ${count}`, end),
    slopeFigure(crowds),
  ]
}

/**
 * The memory of a thousand forks more among many, beside that among few. The first crowd is where it begins: only the
 * crowds after it are alike.
 */
function slopeFigure(crowds: readonly Filled[]): Figure {
  const [few, half, many] = [crowds[0], crowds[Math.floor(crowds.length / 2)], crowds.at(-1)]
  const slope = (from?: Filled, to?: Filled) =>
    from && to ? ((inMB(to.usage.residentMiB) - inMB(from.usage.residentMiB)) * 1_000) / (to.count - from.count) : 0
  const name = `memory of 1000 more, after ${half?.count ?? 0}`
  // garbage of the first crowd may hide what few forks need
  const against = Math.max(slope(few, half), Number.MIN_VALUE)
  return ratioFigure({ name, value: slope(half, many), unit: 'MB', against, atMost: SLOPE })
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
