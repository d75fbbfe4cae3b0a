import type { AnalysisRun } from '../analysis/kinds/run.ts'
import { isFinal } from '../analysis/run/look.ts'
import { isInterrupted } from '../analysis/run/records.ts'
import { subjectOf, wholeSubjectOf } from '../analysis/run/subject.ts'
import type { ResolvedAnalysis } from '../analysis/template.ts'
import type { Arm } from '../analysis/window-data.ts'
import { analysisWithDefaults, type CompleteAnalysis } from '../api/analysis/defaults.ts'
import { knownValue } from '../api/known.ts'
import { requirementsOf } from '../api/label-selector.ts'
import { beyondSelector } from '../api/limits.ts'
import { EXPERIMENT_ID } from '../api/names.ts'
import type { KubeObject } from '../api/object.ts'
import type { Reason } from '../api/reasons.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { shortForkHash } from '../fork/derive.ts'
import { hasRolledOut } from '../fork/health.ts'
import { isPinned } from '../fork/pinned.ts'
import { at } from '../json/json.ts'
import { shortNameOf } from '../text/short-name.ts'
import { experimentId, type ForkRole, forkName, roleUid } from '../workload/identity.ts'
import { allowedProviders } from './allowed-providers.ts'
import { analysisOf } from './analysis-errors.ts'
import type { DesiredFork } from './assess.ts'
import { hasNewBase } from './base.ts'

/** What is asked about the wanted fork, and what its analysis run says so far. */
export interface AnalysisState {
  /** a hash of the question: another fork, source or question has another one */
  readonly subject: string
  /** the whole hash of the question */
  readonly wholeSubject: string
  /** with all defaults */
  readonly spec: CompleteAnalysis
  readonly resolved: ResolvedAnalysis
  /** that of this subject; absent: there is none yet */
  readonly run?: AnalysisRun
  /** the analysis run of another question that has the name of the one that this question needs */
  readonly nameHolder?: string
}

/** What the analysis says, for people. */
export function verdictText({ run }: AnalysisState): string {
  const { status } = run ?? {}
  return status ? `${status.verdict}: ${status.message}` : 'no verdict yet'
}

/**
 * The analysis of an experiment whose wanted fork is `wanted`. Undefined without an analysis, and where its analysis
 * runs are not known, as in a review. A run of another subject is not its run, whatever it says.
 */
export function analysisState(facts: SpecFacts, wanted: DesiredFork): AnalysisState | undefined {
  const { experiment, analysis: known } = facts
  const { analysis } = experiment.spec
  const resolved = analysisOf(facts)
  if (!analysis || !resolved || !known?.runs) return undefined
  const { uid, templateHash } = wanted.base.source()
  const hash = wanted.hash()
  const { subject, whole } = subjectOf({
    uid: experiment.metadata.uid,
    derivation: { short: shortForkHash(hash), whole: hash },
    source: { uid, templateHash },
    analysis,
  })
  const named = known.runs.find((each) => each.spec.subject === subject)
  const isAsked = named !== undefined && (wholeSubjectOf(named) ?? whole) === whole
  const found = isAsked ? { run: named } : named ? { nameHolder: named.metadata.name } : {}
  return { subject, wholeSubject: whole, spec: analysisWithDefaults(analysis), resolved, ...found }
}

/** Whether an earlier version made the run, and this one has not added the whole hash of its question yet. */
export const isWholeSubjectMissing = ({ run }: AnalysisState): boolean =>
  run !== undefined && wholeSubjectOf(run) === undefined

/** What follows from the verdict of an analysis: a recorded one, so that it is the same after a restart. */
type Consequence = 'Pass' | 'RollBack' | 'Keep'

/** The consequence of the recorded verdict; undefined while it waits, and without an analysis run. */
export function consequenceOf({ run }: Pick<AnalysisState, 'run'>): Consequence | undefined {
  const { status } = run ?? {}
  if (!status || status.verdict === 'Wait' || status.verdict === 'Aborted') return undefined
  return status.action === 'Promote' ? 'Pass' : status.action
}

/** Whether the analysis goes on as after a Pass, although it ran out of time without one. */
export const isTimedOut = (analysis: AnalysisState | undefined): boolean =>
  analysis !== undefined && consequenceOf(analysis) === 'Pass' && analysis.run?.status?.verdict !== 'Pass'

/** What an analysis waits for. */
export interface Waiting {
  readonly reason: Reason
  readonly message: string
  /** set if it waits in vain */
  readonly isFinal?: true
}
/** Two questions may have one short hash, which is in the names of their runs. The second one gets no run. */
export const nameConflict = ({ nameHolder }: AnalysisState): Waiting | undefined =>
  nameHolder === undefined
    ? undefined
    : {
        reason: 'NameConflict',
        message: `expdrun/${nameHolder} is about another question and has the name for this one; raise analysis.attempt`,
      }

/** The analysis waits until the fork is settled, or until the source has been read. */
export const WAITING_FOR_FORK: Waiting = { reason: 'NoPods', message: 'waiting for the fork' }

/**
 * Why pods of the source may have another template than the one that the fork is derived from: then not only the
 * override would be compared. `WAITING_FOR_FORK` where that was not read. Undefined if all have it, and after a
 * verdict.
 */
export function sourceObstacle(
  facts: SpecFacts,
  { run, spec }: AnalysisState,
  wanted: DesiredFork,
): Waiting | undefined {
  const source = knownValue(facts.source)?.object
  const isOver = isFinal(run?.status, spec) && !(run && isInterrupted(run, spec))
  if (!source || isOver) return undefined
  if (isPinned(facts.experiment) && hasNewBase(facts, wanted))
    return {
      ...obstacleBy('SourceDrifted', source, 'has changed since this experiment was pinned to it'),
      isFinal: true,
    }
  if (wanted.kind.stablePods) return undefined // no others are compared
  const read = facts.analysis?.source
  if (!read) return WAITING_FOR_FORK
  const now = knownValue(read)
  if (!now || hasRolledOut(wanted.kind, now)) return undefined
  const field = wanted.kind.holdsBack(now)
  return field === undefined
    ? obstacleBy('SourceNotSettled', source, 'is not settled: its rollout has not reached all of its pods')
    : obstacleBy('SourceHoldsBack', source, `has ${field}: not all of its pods have its template`)
}

const obstacleBy = (reason: Reason, source: KubeObject, what: string): Waiting => ({
  reason,
  message: `${shortNameOf(source)} ${what}`,
})

/** How the pods of an arm are found. */
export interface ArmSelector {
  /** the name of the workload whose pods they are */
  readonly workload: string
  /** a label selector as the API server reads it */
  readonly selector: string
}

/** The arms of an analysis. Both are in one namespace. */
export interface AnalysisArms extends Readonly<Record<Arm, ArmSelector>> {
  readonly namespace: string
  /** where the control is the twin: the source, with which the twin is compared */
  readonly source?: ArmSelector
  /** whether pods of that source may have another template than the twin, so that none of them is compared now */
  readonly isSourceOther?: boolean
  /** the providers that the namespace of the experiment may ask now */
  readonly providers: readonly string[]
}

/**
 * The pods of the fork, and those of its source or twin: never by the names of pods. Of a Rollout only the stable
 * revision is compared. A twin is compared with the fork whatever the source does, and with the source only while there
 * is no `obstacle`. Undefined while there is no source, and for one that selects no pods or by too many labels.
 */
export function analysisArms(
  { experiment, source, kind, analysis }: SpecFacts,
  obstacle?: Waiting | undefined,
): AnalysisArms | undefined {
  const [object, adapter] = [knownValue(source)?.object, knownValue(kind)]
  const selector = at(object?.spec, 'selector')
  const requirements = beyondSelector(selector) === undefined ? requirementsOf(selector) : []
  if (!object || !adapter || requirements.length === 0) return undefined
  const { namespace = '', name } = object.metadata
  const { uid } = experiment.metadata
  const stable = Object.entries(adapter.stablePods?.(object) ?? {}).map(([key, value]) => `${key}=${value}`)
  const copy = (role: ForkRole): ArmSelector => {
    const id = roleUid(uid, role)
    return { workload: forkName(name, id), selector: `${EXPERIMENT_ID}=${experimentId(id)}` }
  }
  const own = { workload: name, selector: [...requirements, ...stable, `!${EXPERIMENT_ID}`].join(',') }
  const arms = { namespace, providers: allowedProviders(analysis), treatment: copy('experiment') }
  if (experiment.spec.analysis?.control !== 'Twin') return { ...arms, control: own }
  return { ...arms, control: copy('control'), source: own, ...(obstacle ? { isSourceOther: true } : {}) }
}
