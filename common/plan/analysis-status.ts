import type { AnalysisRun, AnalysisRunStatus } from '../analysis/kinds/run.ts'
import { ABORTED, abortedStatus } from '../analysis/run/ended.ts'
import { isFinal, withTransitionTime } from '../analysis/run/look.ts'
import { WAITING_FOR_PODS } from '../analysis/run/message.ts'
import { hasEnded, isInterrupted } from '../analysis/run/records.ts'
import { gatedDeployStatus } from '../analysis/run/verdict.ts'
import type { AnalysisStatus } from '../api/analysis/analysis.ts'
import { analysisWithDefaults } from '../api/analysis/defaults.ts'
import type { ConditionDraft } from '../api/conditions.ts'
import { attributesOf, isReason } from '../api/reasons.ts'
import type { Condition, ExperimentDeploymentStatus } from '../api/types.ts'
import { type AnalysisState, nameConflict, WAITING_FOR_FORK, type Waiting } from '../assess/analysis.ts'
import type { Facts } from '../facts/facts.ts'
import type { AnalysisReport, Conclusion } from '../outcome/conclusion.ts'
import type { Situation } from '../situation/situation.ts'
import { twinStatus } from './twin.ts'

/** Whether the analysis still goes on: the experiment has one, and neither ends nor has been promoted. */
export const mayBeAsked = ({ facts, stage }: Situation): boolean =>
  facts.experiment.spec.analysis !== undefined && stage === 'ongoing'

/** An analysis, and what keeps it from going on. */
export interface CurrentAnalysis extends AnalysisState {
  /** why its control cannot be compared with the fork */
  readonly waitsFor: Waiting | undefined
}

/** The fork is settled, and the first look has not been made yet. */
const WARMING_UP: Waiting = { reason: 'NoPods', message: WAITING_FOR_PODS }

type AnalysisMessageInput = Pick<AnalysisRunStatus, 'verdict' | 'reason' | 'message' | 'metrics'>

/**
 * What the experiment reports about its analysis. Numbers are in the run only, so the message stays as long as the
 * reason.
 */
export function reportOf(
  facts: Facts,
  current: CurrentAnalysis,
  status: AnalysisMessageInput | undefined,
): AnalysisReport {
  const { run, spec, resolved } = current
  const isBegun = run !== undefined && !isInterrupted(run, spec)
  const waitsFor = current.waitsFor ?? (isBegun ? WARMING_UP : WAITING_FOR_FORK)
  const stored = facts.experiment.status?.analysis
  const [missing] = [...resolved.errors.map(({ field, message }) => `${field}: ${message}`), ...resolved.missing]
  const waiting =
    nameConflict(current) ?? (missing === undefined ? waitsFor : { reason: 'AnalysisNotReady', message: missing })
  const { verdict, reason, message } = status ?? { verdict: 'Wait' as const, ...waiting }
  const isSame = stored?.verdict === verdict && stored.reason === reason && stored.run === run?.metadata.name
  return {
    ...(run ? { run: run.metadata.name } : {}),
    ...withTransitionTime(isSame ? stored : undefined, { verdict, reason }, facts.now.getTime()),
    message: isSame && status ? stored.message : message,
    attempt: spec.attempt,
    metrics: (status?.metrics ?? []).map(({ name, verdict: ofMetric }) => ({ name, verdict: ofMetric })),
    isFinal: status !== undefined && isFinal(status, spec),
    waitsForFork: status === undefined && waiting === WAITING_FOR_FORK && !isBegun,
  }
}

/** The report when the analysis is over; undefined if the status has none. The record of the run may be gone. */
export function endReport({ experiment, now }: Facts, runs: readonly AnalysisRun[]): AnalysisReport | undefined {
  const stored = experiment.status?.analysis
  if (!stored) return undefined
  const run = runs.find(({ metadata }) => metadata.name === stored.run)
  const ended = run && ((hasEnded(run) && run.status) || abortedStatus(run, now))
  const { verdict, reason, message } = ended ?? (stored.verdict === 'Wait' ? ABORTED : stored)
  return {
    ...stored,
    ...withTransitionTime(stored, { verdict, reason }, now.getTime()),
    message,
    isFinal: true,
    waitsForFork: false,
  }
}

/**
 * `status.analysis`, from the first status of an experiment on. It stays as it is while the fork cannot be derived, and
 * is removed with the analysis.
 */
export function analysisStatus(situation: Situation, conclusion: Conclusion): ExperimentDeploymentStatus {
  const { facts } = situation
  const { experiment } = facts
  if (!experiment.spec.analysis) return {}
  const status = foundOf(facts, conclusion) ?? experiment.status?.analysis ?? firstStatus(situation)
  return { analysis: { ...status, gatedDeployStatus: gatedWord(situation, conclusion, status) } }
}

/** What the pass found out. */
function foundOf(facts: Facts, conclusion: Conclusion): AnalysisStatus | undefined {
  if (!conclusion.analysis) return undefined
  const { isFinal: _isFinal, waitsForFork: _waits, twin: _former, metrics = [], ...status } = conclusion.analysis
  // the API server forgets an empty list that is applied
  return { ...status, ...(metrics.length > 0 ? { metrics } : {}), ...twinStatus(facts, conclusion) }
}

/** Before it is known which fork is wanted. */
function firstStatus(situation: Situation): AnalysisStatus {
  const { facts } = situation
  const { attempt } = analysisWithDefaults(facts.experiment.spec.analysis ?? {})
  const is = mayBeAsked(situation) ? { verdict: 'Wait' as const, ...WAITING_FOR_FORK } : ABORTED
  return { ...is, since: facts.now.toISOString(), attempt }
}

/** The verdict in the word of Gated Deployments. It is here, too, because the promotion deletes the fork. */
function gatedWord(situation: Situation, conclusion: Conclusion, { verdict }: AnalysisStatus) {
  const { facts, strategy } = situation
  const run = strategy && (conclusion.run?.run ?? facts.experiment.status?.strategy)
  const isBack = run !== undefined && run.path !== 'Forward'
  return gatedDeployStatus(verdict, isBack || verdict === 'Aborted' || !mayBeAsked(situation))
}

/** What `Ready` says of an analysis: only that nothing is found of what it asks for. */
export const unfoundSeries = (analysis: AnalysisReport | undefined): string =>
  isReason(analysis?.reason) && attributesOf(analysis.reason).isInReady ? `; analysis: ${analysis.message}` : ''

/** The conditions by which scripts wait for a verdict. They stay as long as `status.analysis` does. */
export function analysisConditions({ experiment }: Facts, { analysis }: Conclusion): readonly ConditionDraft[] {
  if (!experiment.spec.analysis) return []
  if (!analysis) return (experiment.status?.conditions ?? []).flatMap(stored)
  const { verdict, message } = analysis
  const reason = isReason(analysis.reason) ? analysis.reason : 'Measuring'
  const passed = verdict === 'Wait' ? 'Unknown' : verdict === 'Pass' ? 'True' : 'False'
  return [
    { type: 'AnalysisComplete', status: analysis.isFinal ? 'True' : 'False', reason, message },
    { type: 'AnalysisPassed', status: passed, reason, message },
  ]
}

const CONDITIONS: readonly string[] = ['AnalysisComplete', 'AnalysisPassed']

/** A condition about the analysis as it is stored. */
const stored = ({ type, status, reason, message }: Condition): readonly ConditionDraft[] =>
  CONDITIONS.includes(type) && isReason(reason) ? [{ type, status, reason, message }] : []
