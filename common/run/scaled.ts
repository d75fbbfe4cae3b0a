import type { ConditionDraft } from '../api/conditions.ts'
import type { RunReport } from '../outcome/conclusion.ts'
import { mayHaveWritten } from '../situation/run.ts'
import { isForkShort, lostForkReason } from '../situation/scaling.ts'
import type { RunState, Scaling, Situation } from '../situation/situation.ts'
import { abortMove, type RunMove } from '../strategy/next.ts'
import { count } from '../text/count.ts'
import { shortNameOf } from '../text/short-name.ts'

/**
 * The move by which a run is held, because somebody else has changed the size of its source, or our label there.
 * Undefined if nobody has, or if the run is held for that already.
 */
export function takenMove({ scaling }: Situation, { run, steps }: RunState): RunMove | undefined {
  if (!scaling || run.path !== 'Forward' || !steps[run.stepIndex]) return undefined
  const { onSource, stored, sides, source } = scaling
  const now = sides.source.replicas
  if (onSource.is !== 'changed' && onSource.is !== 'lost') return undefined
  const isKnown =
    onSource.is === 'lost'
      ? stored?.changedFrom !== undefined
      : stored?.uid === source.metadata.uid && stored?.written === now && stored.size === now
  if (run.held && isKnown) return undefined
  const from = onSource.is === 'changed' ? onSource.from : now
  return { run: { ...run, held: true }, reason: 'SourceScaled', message: changedText(scaling, from) }
}

/** That somebody else has changed the size of a source, and both numbers. */
export function changedText({ source, size }: Scaling, from: number): string {
  const name = shortNameOf(source)
  return `somebody changed the size of ${name}, or our label there: it had ${count(from, 'pod')}, and its size is ${size} now`
}

/**
 * The abort of a run whose fork stands for pods of its source and cannot: it was deleted, it has no ready pod, or too
 * few of its pods have been available for a minute. Undefined if it can, or once the source may have the change.
 */
export function lostForkMove(situation: Situation, { run, sizing }: RunState): RunMove | undefined {
  const { scaling, facts } = situation
  if (!scaling || run.path !== 'Forward' || sizing?.isReturning || mayHaveWritten(situation, run)) return undefined
  const why = lostForkReason(facts, scaling)
  const message = (text: string) => `${shortNameOf(scaling.source)} gets its pods back, because ${text}`
  return why === undefined ? undefined : { ...abortMove(run, message(why), facts), reason: 'Returned' }
}

/** The condition of a fork that stands for pods of its source, and of which too few are available. */
export function tooFewInside({ scaling }: Situation, report: RunReport | undefined): readonly ConditionDraft[] {
  if (report?.run.path !== 'Forward' || !scaling?.isServing || !isForkShort(scaling)) return []
  const { fork, source } = scaling.sides
  const available = `${fork.available} of ${count(fork.replicas, 'pod')} of the fork and ${source.available} of the source`
  const goes = 'the source gets its pods back if that lasts a minute'
  const message = `${available} are available, and ${scaling.bounds.least} are needed; ${goes}`
  return [{ type: 'TooFewPods', status: 'True', reason: 'TooFewPods', message }]
}
