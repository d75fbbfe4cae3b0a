/** All crash points of a scenario, many at once. */
import { aligned } from '../../aligned.ts'
import { inParallel } from '../../in-parallel.ts'
import { TIMES } from '../side-by-side.ts'
import { type Actor, type CrashPoint, POSITIONS } from './actor.ts'
import { differences, type History } from './oracles.ts'
import type { Expected, Reference, Runner, Verdict } from './run.ts'
import type { Scenario } from './scenarios.ts'

/**
 * Kills the controller at each position of each request that undisturbed runs make, or at those that are chosen, and
 * that `TIMES` times. How often the status is written
 * depends on how fast pods change, so a run may not get to a later occurrence of a request. Then there is another run.
 */
export async function crashesOf(
  scenario: Scenario,
  history: History,
  runner: Runner,
  isChosen: (point: CrashPoint) => boolean = () => true,
): Promise<readonly Verdict[]> {
  const prefix = scenario.name.replaceAll(' ', '-')
  const idle: Actor[] = []
  const ofRun = (run: number | string) => ({ scenario, history, run: `${prefix}-${run}`, idle })
  const references = await Promise.all(['a', 'b'].map((run) => runner.reference(ofRun(run))))
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
  const pending: Promise<Verdict>[] = []
  await inParallel(runner.LANES, [...points.entries()], async ([index, point]) => {
    const quiet = Promise.withResolvers<void>()
    const verdict = verdictOf(index, point, quiet.resolve)
    pending[index] = verdict
    await Promise.race([quiet.promise, verdict])
  })
  const verdicts = await Promise.all(pending)
  await Promise.all(idle.map((actor) => actor.stop('SIGKILL')))
  return verdicts
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

/** Those verdicts of `crashesOf` that belong to the time with that number. The first is 0. */
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
