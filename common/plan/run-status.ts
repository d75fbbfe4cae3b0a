import { type ConditionDraft, warning } from '../api/conditions.ts'
import { COMMAND } from '../api/names.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus, Warning } from '../api/types.ts'
import type { Facts } from '../assess/facts.ts'
import { phaseOf, runStatus } from '../strategy/run.ts'
import type { Conclusion, RunReport } from './conclusion.ts'

/**
 * `status.strategy`: the memory of the run. It stays as it is while the fork cannot be derived, and goes with the
 * strategy.
 */
export function strategyStatus({ experiment }: Facts, { run }: Conclusion): ExperimentDeploymentStatus {
  const stored = experiment.spec.strategy && experiment.status?.strategy
  const strategy = run ? runStatus(run.run, run.steps, run.weight) : stored
  return strategy ? { strategy } : {}
}

/** The condition of a run that waits, only while it waits: until when, and what ends it. */
export function pausedCondition(
  { metadata: { name } }: ExperimentDeployment,
  report: RunReport | undefined,
): readonly ConditionDraft[] {
  if (!report || phaseOf(report.run, report.steps) !== 'Paused') return []
  const paused = (reason: ConditionDraft['reason'], message: string): readonly ConditionDraft[] => [
    { type: 'Paused', status: 'True', reason, message },
  ]
  const { run, steps } = report
  const resumed = `until somebody resumes it: kubectl annotate --overwrite expd/${name} ${COMMAND}=resume`
  if (run.held) return paused('PausedByCommand', resumed)
  const step = steps[run.stepIndex]
  if (step?.is !== 'pause') return paused('AwaitingPromotion', 'all steps are done')
  return step.seconds === undefined
    ? paused('PauseStep', resumed)
    : paused('PauseDuration', `until ${endOf(run.since, step.seconds)}, or ${resumed}`)
}

/** RFC 3339 in whole seconds. */
const endOf = (since: string, seconds: number): string =>
  `${new Date(Date.parse(since) + seconds * 1_000).toISOString().slice(0, 19)}Z`

/** The warning that `maxSurge` allows fewer pods than the present weight needs, because the source grew since. */
export function limitedWeight(report: RunReport | undefined): readonly Warning[] {
  const { weight, needed, pods } = report?.target ?? {}
  if (needed === undefined) return []
  return [warning('WeightLimited', `${weight}% needs ${needed} pods, and maxSurge allows ${pods}`, '; raise maxSurge')]
}
