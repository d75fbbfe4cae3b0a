import { providerWithDefaults } from '../analysis/kinds/provider.ts'
import type { AnalysisRun, AnalysisRunSpec, AnalysisRunStatus } from '../analysis/kinds/run.ts'
import {
  ABORTED,
  abortedStatus,
  notHealthyStatus,
  resumedStatus,
  statusWithWholeSubject,
} from '../analysis/run/ended.ts'
import { isFinal, statusAfterLook } from '../analysis/run/look.ts'
import { expiredRecords, hasEnded, isInterrupted } from '../analysis/run/records.ts'
import { gatedDeployStatus } from '../analysis/run/verdict.ts'
import { KUBERNETES } from '../api/analysis/metric.ts'
import { knownValue } from '../api/known.ts'
import { ANALYSIS_RUN, CR_NAME, EXPERIMENT_ID, GATED_DEPLOY_STATUS, SOURCE_ID } from '../api/names.ts'
import {
  type AnalysisState,
  analysisArms,
  analysisState,
  isWholeSubjectMissing,
  sourceObstacle,
} from '../assess/analysis.ts'
import type { Assessment } from '../assess/assess.ts'
import type { Facts } from '../facts/facts.ts'
import type { Conclusion, Plan } from '../outcome/conclusion.ts'
import type { Part } from '../outcome/part.ts'
import type { Situation } from '../situation/situation.ts'
import { experimentId, forkName, sourceId } from '../workload/identity.ts'
import { deletion, statusWrite } from '../writes/analysis-run-writes.ts'
import type { Write } from '../writes/write.ts'
import { type CurrentAnalysis, endReport, mayBeAsked, reportOf } from './analysis-status.ts'
import type { AnalyzedFork } from './twin.ts'

/**
 * The state of the analysis of a wanted fork; undefined where there is none, or it is not known. A promotion makes the
 * source as the fork is, and there is nothing to compare any more.
 */
export const analysisFor = ({ facts, isWriting }: Situation, assessment: Assessment): AnalysisState | undefined =>
  assessment.is === 'wanted' && !isWriting ? analysisState(facts, assessment) : undefined

/** The wanted fork with the recorded verdict in an annotation, from the first moment of its analysis run on. */
export function withVerdict({ experiment }: Facts, assessment: Assessment, state: AnalysisState | undefined) {
  if (!state?.run || assessment.is !== 'wanted') return assessment
  const [{ fork }, { path = 'Forward' }] = [assessment, experiment.status?.strategy ?? {}]
  const word = gatedDeployStatus(state.run.status?.verdict ?? 'Wait', path !== 'Forward')
  const annotations = { ...fork.metadata.annotations, [GATED_DEPLOY_STATUS]: word }
  return { ...assessment, fork: { ...fork, metadata: { ...fork.metadata, annotations } } }
}

/**
 * What the analysis adds to what is concluded of the fork and its run. What the poller found out is recorded, and only
 * a recorded verdict has consequences, in a later pass. Analysis runs of other questions end.
 */
export function analysisPart(
  situation: Situation,
  { assessment, analysis: state }: AnalyzedFork,
  conclusion: Conclusion,
): Part & Pick<Plan, 'arms'> {
  const { facts } = situation
  const known = facts.analysis?.runs
  if (!known) return {}
  // While it is not known which fork is wanted, any of them may be about it, and have its verdict.
  const isKnown = state !== undefined || !mayBeAsked(situation)
  const others = isKnown ? known.filter((run) => run !== state?.run) : []
  const ending = others.filter((run) => !hasEnded(run))
  const endings = ending.map((run) => statusWrite(run, abortedStatus(run, facts.now)))
  const deletions = expiredRecords(others.filter(hasEnded), facts.now).map(deletion)
  const obstacle = state && assessment?.is === 'wanted' ? sourceObstacle(facts, state, assessment) : undefined
  const current = state && { ...state, waitsFor: state.spec.control === 'Twin' ? undefined : obstacle }
  const found = current ? recorded(facts, current, conclusion) : NOTHING
  const writes = [...endings, ...deletions, ...found.writes]
  if (!current) {
    const analysis = isKnown ? endReport(facts, known) : undefined
    return analysis ? { writes, conclusion: { analysis } } : { writes }
  }
  const status = found.status ?? current.run?.status
  // A run that is to be resumed waits for its fork first.
  const recordableStatus = isOnWayBack(conclusion)
    ? (status ?? ABORTED)
    : status?.verdict === 'Aborted'
      ? undefined
      : status
  const analysis = reportOf(facts, current, recordableStatus)
  const isAsked = current.run !== undefined && !analysis.isFinal && status?.finishedAt === undefined
  const arms = isAsked ? { arms: () => analysisArms(facts, obstacle) } : {}
  return { writes, conclusion: { analysis }, ...arms }
}

/** Whether the run of the strategy has turned back, so that its fork loses its pods. */
const isOnWayBack = ({ run }: Conclusion): boolean =>
  run !== undefined && run.run.path !== 'Forward' && run.moved === undefined

interface Recorded {
  readonly writes: readonly Write[]
  /** what the run says after them */
  readonly status?: AnalysisRunStatus
}
const NOTHING: Recorded = { writes: [] }

/** What the pass records about the present question. */
function recorded(facts: Facts, current: CurrentAnalysis, conclusion: Conclusion): Recorded {
  const { run, spec, resolved, waitsFor, nameHolder } = current
  if (nameHolder !== undefined) return NOTHING // that run has the answer to another question
  if (run && isWholeSubjectMissing(current))
    return changed(run, statusWithWholeSubject(run, current.wholeSubject, facts.now))
  if (isOnWayBack(conclusion)) return !run || hasEnded(run) ? NOTHING : changed(run, abortedStatus(run, facts.now))
  const isReady = resolved.errors.length === 0 && resolved.missing.length === 0
  const isUnhealthy = conclusion.because === 'overdue'
  // before that, there may be pods of a former template
  const mayBegin = conclusion.fork !== undefined && (isUnhealthy || (conclusion.is === 'settled' && !waitsFor))
  if (!run) return isReady && mayBegin ? { writes: [creation(facts, current)] } : NOTHING
  if (isInterrupted(run, spec)) return mayBegin ? changed(run, resumedStatus(run, facts.now)) : NOTHING
  if (isFinal(run.status, spec)) return NOTHING
  if (waitsFor?.isFinal && !isUnhealthy) return changed(run, abortedStatus(run, facts.now, waitsFor.message))
  const { poll } = facts.analysis ?? {}
  const isNew = poll?.run === run.metadata.uid && poll.looks === (run.status?.looks ?? 0)
  if (!isUnhealthy && !isNew) return NOTHING
  return changed(
    run,
    isUnhealthy || !poll
      ? notHealthyStatus(run, spec, facts.now, conclusion.message)
      : statusAfterLook(run, { poll, times: spec, lagSeconds: (provider) => lagOf(facts, provider) }),
  )
}

const changed = (run: AnalysisRun, status: AnalysisRunStatus): Recorded => ({
  writes: [statusWrite(run, status)],
  status,
})

/** How old the end of a window must be before `provider` is asked for it. */
export function lagOf({ analysis }: Pick<Facts, 'analysis'>, provider: string): number {
  const found = provider === KUBERNETES ? undefined : knownValue(analysis?.providers ?? { is: 'absent' })?.get(provider)
  const spec = found && knownValue(found)?.spec
  return spec ? providerWithDefaults(spec).lagSeconds : 0
}

const { apiVersion, kind } = ANALYSIS_RUN

/** The run of a question. It outlives the experiment as its record, so it has no owner. */
function creation({ experiment }: Facts, { subject, wholeSubject, spec, resolved }: AnalysisState): Write {
  const { name, namespace, uid, generation } = experiment.metadata
  const { attempt, control, alpha, beta, minSamples } = spec
  const runSpec: AnalysisRunSpec = {
    experiment: { name, uid, generation },
    ...{ subject, wholeSubject, attempt, control, alpha, beta, minSamples },
    metrics: resolved.metrics,
  }
  const labels = { [EXPERIMENT_ID]: experimentId(uid), [CR_NAME]: name, [SOURCE_ID]: sourceId(experiment) }
  const metadata = { name: `${forkName(experiment.spec.sourceRef.name, uid)}-${subject}`, namespace, labels }
  return {
    verb: 'create',
    role: 'analysisRun',
    resource: ANALYSIS_RUN,
    object: { apiVersion, kind, metadata, spec: runSpec },
  }
}
