import type { RunState } from '../situation/situation.ts'
import type { RunStep } from '../strategy/compile.ts'
import type { Run } from '../strategy/run.ts'
import { duration } from '../text/duration.ts'
import { endOf } from './run-status.ts'

/** What is known of a run on its way back. */
export interface EndOfRun {
  /** whether the last verdict of its analysis rolls back, so that another run would be aborted at once; default: no */
  readonly isRolledBack?: boolean
  /** whether the source may have the change after an undo that was aborted; default: no */
  readonly mayHaveChange?: boolean
}

/**
 * That a run is on its way back, what caused that unless a command did, and what becomes of it. The review of a command
 * says it, and then the status.
 */
export function wayBackText(of: Pick<RunState, 'run' | 'steps'>, known: EndOfRun = {}): string {
  const { path, cause } = of.run
  const was = `the run was ${path === 'Undo' ? 'undone' : 'aborted'}`
  return `${was}${cause === undefined ? '' : `: ${cause}`}; ${endOfRun(of, known)}`
}

/** What becomes of the pods of a run on its way back, and what begins another run. */
export function endOfRun({ run, steps }: Pick<RunState, 'run' | 'steps'>, of: EndOfRun = {}): string {
  const anotherRun = of.isRolledBack ? ANOTHER_VERDICT : of.mayHaveChange ? ANOTHER_UNDO : ANOTHER_RUN
  const ahead = steps.slice(run.stepIndex)
  const pause = ahead.find((step) => step.is === 'pause')
  const end = pause
    ? `its pods get no requests and stay ${keptUntil(pause, pause === ahead[0] ? run : undefined)}until ${anotherRun}`
    : `the fork has no pods until ${anotherRun}`
  return ahead[0]?.is === 'return' ? `the fork serves until its Services send to the source again, then ${end}` : end
}

/** How long the pods of an aborted fork are kept for inspection, without what may end that earlier. */
function keptUntil({ seconds }: Extract<RunStep, { is: 'pause' }>, begun: Run | undefined): string {
  if (seconds === undefined) return ''
  return begun ? `until ${endOf(begun.since, seconds)}, or ` : `for ${duration(seconds)}, or `
}

const ANOTHER_RUN = 'you give the command retry, or edit the override or the strategy'
const ANOTHER_UNDO = 'you give the command undo, or edit the override or the strategy'
const ANOTHER_VERDICT = 'you edit the override, or raise spec.analysis.attempt and then give the command retry'
