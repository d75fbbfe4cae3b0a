import type { RunPath, RunPhase, RunWeight, StrategyRunStatus } from '../api/strategy.ts'
import { nameOfStep, type RunStep } from './compile.ts'

/** What decides how a run goes on. Everything else of its status follows from it. */
export type Run = Pick<
  StrategyRunStatus,
  'run' | 'revision' | 'path' | 'stepIndex' | 'since' | 'held' | 'command' | 'attempt'
>

/** What makes a run: a hash of its spec, and the revision that people approve. */
interface RunIdentity {
  readonly run: string
  readonly revision: string
}

/**
 * The stored run, or a new one at its first step if the stored one is invalid or about another spec. If only the
 * revision differs, the present step begins again.
 */
export function presentRun(
  stored: StrategyRunStatus | undefined,
  { run, revision }: RunIdentity,
  stepsOf: (path: RunPath) => readonly RunStep[],
  now: Date,
): Run {
  const since = now.toISOString()
  const isSound =
    stored?.run === run &&
    Number.isSafeInteger(stored.stepIndex) &&
    stored.stepIndex >= 0 &&
    stored.stepIndex <= stepsOf(stored.path).length &&
    !Number.isNaN(Date.parse(stored.since))
  // A command that was answered must not be obeyed by the next run.
  const answered = stored?.command === undefined ? {} : { command: stored.command }
  if (!stored) return { run, revision, path: 'Forward', stepIndex: 0, since }
  const { path, stepIndex, held, attempt = 0 } = stored
  if (!isSound)
    return {
      run,
      revision,
      path: 'Forward',
      stepIndex: 0,
      since,
      ...(stored.run === run ? {} : { attempt: attempt + 1 }),
      ...answered,
    }
  const isSameRevision = stored.revision === revision
  return {
    run,
    revision,
    path,
    stepIndex,
    since: isSameRevision ? stored.since : since,
    ...(held ? { held } : {}),
    ...(attempt > 0 ? { attempt } : {}),
    ...answered,
  }
}

/** The run at another step, which begins now. */
export const atStep = (run: Run, to: Partial<Pick<Run, 'path' | 'stepIndex'>>, now: Date): Run => ({
  ...run,
  ...to,
  since: now.toISOString(),
})

/** What a run does at its present step. */
export function phaseOf(
  { path, stepIndex, held }: Pick<Run, 'path' | 'stepIndex' | 'held'>,
  steps: readonly RunStep[],
): RunPhase {
  const step = steps[stepIndex]
  // the pods of a gated fork are kept for a while after the abort
  if (path === 'Abort') return step && (stepIndex === 0 || step.is === 'shut') ? 'Aborting' : 'Aborted'
  if (path === 'Undo') return step ? 'Undoing' : 'Undone'
  if (!step) return 'Promoted'
  return held || step.is === 'pause' || step.is === 'await' || step.is === 'analysis' ? 'Paused' : 'Progressing'
}

/** Whether the stored run is at a step that writes the source, which then has to be read as it is now. */
export const writesSource = (stored: StrategyRunStatus | undefined): boolean =>
  stored?.stepName === nameOfStep({ is: 'promote' }) || stored?.stepName === nameOfStep({ is: 'restore' })

/** `status.strategy`. */
export function runStatus(run: Run, steps: readonly RunStep[], weight: RunWeight | undefined): StrategyRunStatus {
  const step = steps[run.stepIndex]
  const phase = phaseOf(run, steps)
  return {
    ...run,
    phase,
    stepName: step ? nameOfStep(step) : 'none',
    step: `${run.stepIndex}/${steps.length} ${phase}`,
    ...(weight === undefined ? {} : { weight }),
  }
}
