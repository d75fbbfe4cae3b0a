import type { ExperimentView } from '../../common/view/experiment-view.ts'
import type { Goal } from '../flags/goal.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'

/** Whether a goal is reached, may still be, or never will. */
export type Judgement =
  | { readonly is: 'reached' }
  | { readonly is: 'open' }
  /** `because`: completes a sentence about the experiment, as in `it is Stalled` */
  | { readonly is: 'lost'; readonly exitCode: ExitCode; readonly because: string }

const REACHED: Judgement = { is: 'reached' }
const OPEN: Judgement = { is: 'open' }
const lost = (exitCode: ExitCode, because: string): Judgement => ({ is: 'lost', exitCode, because })

/**
 * Judges whether `view` has reached `goal`; undefined: it is deleted. The goal comes first: a promoted run is Ready and
 * has ended.
 */
export function judge(goal: Goal, view: ExperimentView | undefined): Judgement {
  if (view === undefined) return goal.is === 'ended' ? REACHED : lost(EXIT.outOfReach, 'it is deleted')
  if (isReached(goal, view)) return REACHED
  return misused(goal, view) ?? outOfReach(goal, view) ?? OPEN
}

const has = ({ conditions }: ExperimentView, type: string): boolean =>
  conditions.some((each) => each.type === type && each.status === 'True')

const hasNow = ({ conditions }: ExperimentView, type: string): boolean =>
  conditions.some((each) => each.type === type && each.status === 'True' && each.isCurrent)

/** Whether the controller has seen the present generation. What an older one came to says nothing about it. */
const isSeen = ({ conditions }: ExperimentView): boolean => conditions.some(({ isCurrent }) => isCurrent)

function isReached(goal: Goal, view: ExperimentView): boolean {
  switch (goal.is) {
    case 'ready':
      return hasNow(view, 'Ready')
    case 'paused':
      return hasNow(view, 'Paused')
    case 'step':
      return has(view, 'Promoted') || stepsLeftBehind(view) >= goal.steps
    case 'passed':
      return view.analysis?.verdict === 'Pass' && hasNow(view, 'AnalysisPassed')
    case 'promoted':
      return has(view, 'Promoted')
    case 'ended':
      return isSeen(view) && (view.state === 'Ended' || view.state === 'Failed')
  }
}

/** Of a run that goes forward. `promote` leaves steps behind that were never done. */
const stepsLeftBehind = ({ steps, run }: ExperimentView): number =>
  run?.isForward === false
    ? 0
    : (steps.findLast(({ is }) => is === 'current')?.index ?? steps.filter(({ is }) => is === 'done').length)

/** What the experiment does not have, so that the goal makes no sense. */
function misused(goal: Goal, { asks, steps, run }: ExperimentView): Judgement | undefined {
  if (goal.is === 'passed' && !asks.analysis) return lost(EXIT.usage, 'it has no spec.analysis')
  if ((goal.is === 'promoted' || goal.is === 'step') && !asks.strategy && !asks.promotion)
    return lost(EXIT.usage, 'it has neither spec.strategy nor spec.promotion')
  const isForward = run?.isForward !== false
  if (goal.is === 'step' && isForward && steps.length > 0 && steps.length < goal.steps)
    return lost(EXIT.usage, `it has only ${steps.length} steps`)
  return undefined
}

/** Why the goal cannot be reached any more. */
function outOfReach(goal: Goal, view: ExperimentView): Judgement | undefined {
  const { state, analysis } = view
  if (goal.is === 'ended' || !isSeen(view)) return undefined
  if (goal.is === 'passed') {
    const isFinal = analysis !== undefined && analysis.verdict !== 'Wait' && hasNow(view, 'AnalysisComplete')
    if (isFinal)
      return lost(
        analysis.verdict === 'Fail' ? EXIT.experimentFailed : EXIT.outOfReach,
        `its verdict is ${analysis.verdict}`,
      )
  }
  if (state === 'Failed') return lost(EXIT.experimentFailed, 'it has failed')
  if (state === 'Ended') return lost(EXIT.outOfReach, 'it has ended')
  if (state === 'Stalled' && goal.is !== 'promoted' && goal.is !== 'passed')
    return lost(EXIT.outOfReach, 'it is Stalled: a person must act')
  return undefined
}
