import type { RunPath, RunPhase, RunWeight, StrategyRunStatus } from '../api/strategy.ts'
import { nameOfStep, type RunStep } from './compile.ts'

/** What decides how a run goes on. Everything else of its status follows from it. */
export type Run = Pick<
  StrategyRunStatus,
  | 'run'
  | 'wholeRun'
  | 'revision'
  | 'wholeRevision'
  | 'approvedRevision'
  | 'path'
  | 'stepIndex'
  | 'since'
  | 'held'
  | 'cause'
  | 'command'
  | 'attempt'
  | 'seen'
>

/** What makes a run: the hashes of its spec, and of the revision that people approve. */
type RunIdentity = Pick<Run, 'run' | 'wholeRun' | 'revision' | 'wholeRevision'>

/** Whether both short hashes are equal, and both whole ones where both are known. */
const isSameHash = (short: readonly [string, string], [one, other]: readonly (string | undefined)[]): boolean =>
  short[0] === short[1] && (one === undefined || other === undefined || one === other)

/** Whether `stored` is the run. One without the whole hash is of an earlier version: then the short one counts. */
export const isSameRun = (
  stored: Pick<Run, 'run' | 'wholeRun'> | undefined,
  of: Pick<Run, 'run' | 'wholeRun'>,
): boolean => stored !== undefined && isSameHash([stored.run, of.run], [stored.wholeRun, of.wholeRun])

/** As `isSameRun`, for revisions. */
export const isSameRevision = (one: RunIdentity, other: RunIdentity): boolean =>
  isSameHash([one.revision, other.revision], [one.wholeRevision, other.wholeRevision])

/**
 * Whether `approved`, as the spec says, is the revision of `run`. A short one counts only where an earlier version
 * stored it: then the run remembers the whole one, until it ends.
 */
export const isApprovalOf = (
  approved: string | undefined,
  { revision, wholeRevision, approvedRevision }: Pick<Run, 'revision' | 'wholeRevision' | 'approvedRevision'>,
): boolean =>
  approved !== undefined &&
  (wholeRevision === undefined
    ? approved === revision
    : approved === wholeRevision || (approved === revision && approvedRevision === wholeRevision))

/** The run with its present revision as the approved one. */
export const approvedNow = (run: Run): Run =>
  run.wholeRevision === undefined ? run : { ...run, approvedRevision: run.wholeRevision }

/** The run with no approved revision. */
export const withoutApproval = ({ approvedRevision: _former, ...run }: Run): Run => run

interface KeptApproval {
  readonly steps: readonly RunStep[]
  /** as the spec says */
  readonly approved: string | undefined
}

/**
 * `run` with the approval that an earlier version took by the short revision: the spec has it, or the run has passed
 * the step at which it waits for one.
 */
export function withKeptApproval(run: Run, stored: StrategyRunStatus | undefined, of: KeptApproval): Run {
  const isAdded = stored?.wholeRevision === undefined && run.wholeRevision !== undefined
  if (!stored || !isAdded || run.path !== 'Forward' || !isSameRun(stored, run) || !isSameRevision(stored, run))
    return run
  const awaiting = of.steps.findIndex(({ is }) => is === 'await')
  const isPast = awaiting >= 0 && run.stepIndex > awaiting
  return isPast || of.approved === run.revision ? approvedNow(run) : run
}

/**
 * The stored run, or a new one at its first step if the stored one is invalid or about another spec. If only the
 * revision differs, the present step begins again.
 */
export function presentRun(
  stored: StrategyRunStatus | undefined,
  identity: RunIdentity,
  stepsOf: (path: RunPath) => readonly RunStep[],
  now: Date,
): Run {
  const since = now.toISOString()
  const isSame = isSameRun(stored, identity)
  const isSound =
    stored !== undefined &&
    isSame &&
    Number.isSafeInteger(stored.stepIndex) &&
    stored.stepIndex >= 0 &&
    stored.stepIndex <= stepsOf(stored.path).length &&
    !Number.isNaN(Date.parse(stored.since))
  // A command that was answered must not be obeyed by the next run.
  const answered = stored?.command === undefined ? {} : { command: stored.command }
  if (!stored) return { ...identity, path: 'Forward', stepIndex: 0, since }
  const { path, stepIndex, held, cause, approvedRevision, attempt = 0, seen } = stored
  if (!isSound)
    return {
      ...identity,
      path: 'Forward',
      stepIndex: 0,
      since,
      ...(isSame ? {} : { attempt: attempt + 1 }),
      ...answered,
    }
  return {
    ...identity,
    ...(approvedRevision === undefined ? {} : { approvedRevision }),
    path,
    stepIndex,
    since: isSameRevision(stored, identity) ? stored.since : since,
    ...(held ? { held } : {}),
    ...(path === 'Abort' && cause !== undefined ? { cause } : {}),
    ...(attempt > 0 ? { attempt } : {}),
    ...(seen ? { seen } : {}),
    ...answered,
  }
}

/** The run at another step, which begins now. On another path it has another cause. */
export function atStep(run: Run, to: Partial<Pick<Run, 'path' | 'stepIndex'>>, now: Date): Run {
  const { cause: _former, ...others } = run
  const isSamePath = to.path === undefined || to.path === run.path
  return { ...(isSamePath ? run : others), ...to, since: now.toISOString() }
}

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

/** Steps of a run that go on, or back, by whether the source has the change. */
const BY_SOURCE: ReadonlySet<RunStep['is']> = new Set(['await', 'promote', 'refill', 'return', 'drain'])

/** Whether the stored run is at a step that depends on whether the source has the change. */
export const dependsOnSource = (stored: StrategyRunStatus | undefined): boolean =>
  (BY_SOURCE as ReadonlySet<unknown>).has(stored?.stepName.split(' ')[0])

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
