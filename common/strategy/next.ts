import type { Reason } from '../api/reasons.ts'
import { wholeClauses } from '../text/fitted.ts'
import type { CommandVerb } from './command-text.ts'
import { nameOfStep, type RunStep } from './compile.ts'
import { atStep, type Run } from './run.ts'

/** What is seen of the present step. */
export interface StepFacts {
  readonly now: Date
  /** milliseconds since the step began; never negative */
  readonly elapsedMs: number
  /** whether the fork is as the step wants it, and its Services show that */
  readonly isReached: boolean
  /** whether the fork exceeded its progress deadline, and the run should be aborted then */
  readonly isFailed: boolean
  /** whether the spec approves the present revision for promotion */
  readonly isApproved: boolean
  /** whether the analysis has passed */
  readonly hasPassed: boolean
}

/** A run either stays at its step, with the time that is left of it, or moves to another one. */
type Next = { readonly is: 'stay'; readonly restMs?: number } | ({ readonly is: 'move' } & RunMove)

/** A run after a move, with the reason and message of the Event about it. */
export interface RunMove {
  readonly run: Run
  readonly reason: Reason
  readonly message: string
  /** the command that it obeys; absent: none */
  readonly by?: CommandVerb
}

/** How `run` goes on. Equal facts give an equal answer, so that a move whose reply was lost is made again. */
export function next(run: Run, steps: readonly RunStep[], facts: StepFacts): Next {
  const step = steps[run.stepIndex]
  if (!step || run.held) return { is: 'stay' }
  const completed = (): Next => ({
    is: 'move',
    run: atStep(run, { stepIndex: run.stepIndex + 1 }, facts.now),
    ...completedEvent(run, steps, step),
  })
  switch (step.is) {
    case 'pause':
    case 'drain': {
      if (step.seconds === undefined) return { is: 'stay' }
      const restMs = step.seconds * 1_000 - facts.elapsedMs
      return restMs > 0 ? { is: 'stay', restMs } : completed()
    }
    case 'analysis':
      return facts.hasPassed ? completed() : { is: 'stay' }
    case 'await':
      return facts.isApproved ? completed() : { is: 'stay' }
    case 'promote':
    case 'restore':
      return { is: 'stay' } // the promotion or the restore itself decides when the step is done
    case 'return':
      return facts.isReached ? completed() : { is: 'stay' } // no abort here: the source may have the change
    default:
      if (facts.isReached) return completed()
      return facts.isFailed && run.path === 'Forward'
        ? abortMove(run, 'its fork exceeded its progress deadline', facts)
        : { is: 'stay' }
  }
}

/** Reason and message of the Event about a step that is done. */
export function completedEvent({ path, stepIndex }: Run, steps: readonly RunStep[], step: RunStep) {
  if (step.is === 'remove')
    return { reason: path === 'Undo' ? 'Undone' : 'Aborted', message: 'the fork has no pods' } as const
  if (step.is === 'drain')
    return { reason: 'Promoted', message: 'the source has the change; the fork is being deleted' } as const
  if (step.is === 'cutOver')
    return { reason: 'CutOver', message: `service/${step.service} sends only to the fork` } as const
  const message = `step ${stepIndex + 1} of ${steps.length} is done: ${nameOfStep(step)}`
  return { reason: 'StepCompleted', message } as const
}

/** The most characters of a cause: that of a message of an analysis. */
const MAX_CAUSE = 1_024

/** The abort of a run that nobody commanded, which remembers why. It ends a pause by command. */
export const abortMove = ({ held: _held, ...run }: Run, why: string, { now }: Pick<StepFacts, 'now'>) => ({
  is: 'move' as const,
  run: { ...atStep(run, { path: 'Abort', stepIndex: 0 }, now), cause: wholeClauses(MAX_CAUSE, why) },
  reason: 'Aborted' as const,
  message: why,
})
