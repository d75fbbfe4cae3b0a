/** All crash points of some scenarios, many at once. */
import { Semaphore } from '../../../common/program/semaphore.ts'
import { aligned } from '../../aligned.ts'
import { TIMES } from '../side-by-side.ts'
import { type CrashPoint, POSITIONS } from './actor.ts'
import { IdleActors } from './idle.ts'
import { differences, type History } from './oracles.ts'
import type { Expected, Reference, Runner, RunOptions, Verdict } from './run.ts'
import type { Scenario } from './scenarios.ts'

/** A scenario, and where in it the controller is killed. */
export interface Plan {
  readonly scenario: Scenario
  readonly runner: Runner
  /** default: at each position of each request that undisturbed runs make */
  readonly isChosen?: (point: CrashPoint) => boolean
}

/** How many runs work at once, without those in their quiet time. With ten, each takes a tenth more of a processor. */
const LANES = 6

/**
 * Makes a run for each crash point of `plans`, and that `TIMES` times. `lanes` of them work at once. While the last
 * runs of a plan wait, those of the next one begin. Its undisturbed runs are made before that. Returns the verdicts of
 * each plan, and each can reject for itself.
 */
export function crashesOf(
  plans: readonly Plan[],
  history: History,
  lanes = LANES,
): ReadonlyMap<Plan, Promise<readonly Verdict[]>> {
  const working = new Semaphore(lanes)
  const idle = new IdleActors()
  let before: Promise<unknown> = Promise.resolve()
  const begun = (plan: Plan, index: number) => {
    const prefix = `${plan.scenario.name.replaceAll(' ', '-')}-${index}`
    const ofRun = (run: string) => ({ scenario: plan.scenario, history, idle, run: `${prefix}-${run}` })
    const references = before.then(() => Promise.all(['a', 'b'].map((run) => plan.runner.reference(ofRun(run)))))
    before = references.catch(() => undefined)
    return references.then((found) => killed(plan, found, { ofRun, working }))
  }
  const all = new Map(plans.map((plan, index) => [plan, begun(plan, index)]))
  const stopped = Promise.allSettled(all.values()).then(() => idle.stop())
  stopped.catch(() => undefined) // the tests of the last plan report it
  const last = plans.at(-1)
  return new Map(
    [...all].map(([plan, verdicts]) => {
      const own = plan === last ? verdicts.finally(() => stopped) : verdicts
      own.catch(() => undefined) // its own tests report it
      return [plan, own]
    }),
  )
}

interface Runs {
  readonly ofRun: (run: string) => RunOptions
  readonly working: Semaphore
}

/**
 * How often the status is written depends on how fast pods change, so a run may not get to a later occurrence of a
 * request. Then there is another run.
 */
async function killed(
  { scenario, runner, isChosen = () => true }: Plan,
  references: readonly Reference[],
  { ofRun, working }: Runs,
): Promise<readonly Verdict[]> {
  const expected = { ...inCommon(references), mayDiffer: scenario.mayDiffer }
  const requests = [...new Set(references.flatMap((each) => each.requests))]
  const possible = requests.flatMap((request) => POSITIONS.map((position): CrashPoint => ({ request, position })))
  const points = Array.from({ length: TIMES }, () => possible.filter(isChosen)).flat()
  // a run that does not get to its request has no quiet time
  const long = points.findIndex(({ request }) => isCertain(request, scenario))
  const verdictOf = async (index: number, point: CrashPoint, onQuiet: () => void): Promise<Verdict> => {
    const once = (attempt: string) =>
      runner
        .rerun({ ...ofRun(`${index}${attempt}`), onQuiet }, point, { ...expected, isLong: index === long })
        .catch((error: Error) => ({ scenario: scenario.name, ...point, isReached: true, problems: [error.message] }))
    const first = await once('')
    const verdict = first.isReached ? first : await once('-again')
    const isMissing = !verdict.isReached && isCertain(point.request, scenario)
    return isMissing ? { ...verdict, problems: ['the request was not made'] } : verdict
  }
  return Promise.all(
    points.map(
      (point, index) =>
        new Promise<Verdict>((resolve) => {
          const quiet = Promise.withResolvers<void>()
          const work = async () => {
            const verdict = verdictOf(index, point, quiet.resolve)
            resolve(verdict)
            await Promise.race([quiet.promise, verdict])
          }
          void working.run(work, undefined)
        }),
    ),
  )
}

/**
 * Whether every run makes a request: the first of its sort. An Event is repeated only if the same was told twice. Where
 * several controllers write, the names begin with who does.
 */
const isCertain = (request: string, { optional = [] }: Scenario): boolean =>
  request.endsWith(' #1') && !/(^|: )patch events /.test(request) && !optional.includes(request)

/** What two undisturbed runs have in common. */
function inCommon([one, other]: readonly Reference[]): Omit<Expected, 'isLong'> {
  if (!one || !other) throw new Error('there are two references')
  const counts = [...differences(one.forkEvents, other.forkEvents).values()]
  if (counts.length > 0) throw new Error(`two undisturbed runs differ in what happens to forks: ${counts}`)
  const events = Object.fromEntries(
    [...Object.keys(one.events), ...Object.keys(other.events)].map((reason) => [
      reason,
      Math.max(one.events[reason] ?? 0, other.events[reason] ?? 0),
    ]),
  )
  return { ...one, events, masked: new Set(differences(one.end, other.end).keys()) }
}

/** Those verdicts of a plan that belong to the time with that number. The first is 0. */
export function ofTime(verdicts: readonly Verdict[], time: number): readonly Verdict[] {
  const count = verdicts.length / TIMES
  return verdicts.slice(time * count, (time + 1) * count)
}

/** A line for each crash point. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ scenario, request, position, isReached, problems }) => {
    const verdict = problems.length > 0 ? `FAILED: ${problems.join('; ')}` : isReached ? 'ok' : 'not made in this run'
    return [scenario, request, position, verdict]
  })
  return aligned([['scenario', 'request', 'position', 'verdict'], ...rows]).join('\n')
}
