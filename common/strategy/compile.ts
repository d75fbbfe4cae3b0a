import type { RunPath, Strategy } from '../api/strategy.ts'
import { duration } from '../text/duration.ts'
import { MAX_PAUSE_SECONDS, pauseSeconds } from './pause.ts'

/** One step of a run: a state that can be reached again and again. */
export type Step =
  /** `field`: where the user wrote it */
  | { readonly is: 'setWeight'; readonly weight: number; readonly field: string }
  /** as many pods as `maxSurge` allows */
  | { readonly is: 'surge' }
  /** without `seconds` until somebody resumes */
  | { readonly is: 'pause'; readonly seconds?: number }
  /** the end of the steps of the user */
  | { readonly is: 'await' }
  /** no pods */
  | { readonly is: 'remove' }

/** The steps of a run: the steps of the user, and what follows them; or the way back. */
export const compile = ({ canary: { steps } }: Strategy, path: RunPath): readonly Step[] => {
  if (path === 'Abort') return [{ is: 'remove' }]
  const own = (steps ?? []).flatMap(({ setWeight, pause }, index): readonly Step[] => {
    if (setWeight === undefined) return [pauseStep(pause?.duration)]
    // the whole weight is what follows the last step
    return setWeight >= 100 ? [] : [{ is: 'setWeight', weight: setWeight, field: fieldOf(index) }]
  })
  return [...(steps === undefined || steps.length === 0 ? [{ is: 'surge' } as const] : own), { is: 'await' }]
}

const fieldOf = (index: number): string => `spec.strategy.canary.steps[${index}].setWeight`

/** A text that is no duration has a mistake that admission refuses. It counts as the longest pause. */
const pauseStep = (duration: number | string | undefined): Step =>
  duration === undefined ? { is: 'pause' } : { is: 'pause', seconds: pauseSeconds(duration) ?? MAX_PAUSE_SECONDS }

/** `setWeight 20%`, `pause 1h`, `pause`. */
export function nameOfStep(step: Step): string {
  switch (step.is) {
    case 'setWeight':
      return `setWeight ${step.weight}%`
    case 'surge':
      return 'maxSurge'
    case 'pause':
      return step.seconds === undefined ? 'pause' : `pause ${duration(step.seconds)}`
    case 'await':
      return 'end'
    case 'remove':
      return 'remove'
  }
}
