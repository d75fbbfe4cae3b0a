import { type ConditionDraft, warning } from '../api/conditions.ts'
import { knownValue } from '../api/known.ts'
import { COMMAND } from '../api/names.ts'
import type { PromotionStatus, ScaledSource, StrategyRunStatus } from '../api/strategy.ts'
import type { ExperimentDeployment, ExperimentDeploymentStatus, Warning } from '../api/types.ts'
import type { Facts } from '../facts/facts.ts'
import type { Conclusion, RunReport } from '../outcome/conclusion.ts'
import { lastPassOf } from '../situation/last-pass.ts'
import { sendsOnlyToFork, statesIn } from '../situation/pins.ts'
import { withHashesOf } from '../situation/run-hash.ts'
import { shortageOf } from '../situation/shortage.ts'
import type { PinState, ServiceState, Situation } from '../situation/situation.ts'
import type { CommandVerb } from '../strategy/command-text.ts'
import { selectorDeclaredBy } from '../strategy/declared.ts'
import { isSameRun, phaseOf, runStatus } from '../strategy/run.ts'
import type { ServiceView } from '../surroundings/traffic.ts'
import { count } from '../text/count.ts'
import { optionalClause } from '../text/fitted.ts'
import { annotateCommand } from '../text/kubectl.ts'
import { changedText } from './scaled.ts'

/**
 * `status.strategy`: the memory of the run. It stays as it is while the fork cannot be derived, and is removed with the
 * strategy.
 */
export function strategyStatus(
  { facts, strategy: spec }: Situation,
  { run, scaled }: Conclusion,
): ExperimentDeploymentStatus {
  const { strategy: stored, promotion: former } = facts.experiment.status ?? {}
  // what is known of a smaller source stays until the source has its pods
  if (!spec) return stored && scaled ? { strategy: withScaled(stored, scaled) } : {}
  const present = run ? runStatus(run.run, run.steps, run.weight) : stored
  const strategy = present && withScaled(present, scaled)
  const isSame = stored && strategy ? isSameRun(stored, strategy) : stored === strategy
  const promotion = run?.promotion ?? (isSame ? keptPromotion(former, run?.moved?.by) : undefined)
  return { ...(strategy ? { strategy } : {}), ...(promotion ? { promotion } : {}) }
}

/** `strategy` with what is remembered of a source whose size the run changes. */
export function withScaled(stored: StrategyRunStatus, scaled: ScaledSource | undefined): StrategyRunStatus {
  if (stored.scaled === scaled) return stored
  const { scaled: _former, ...strategy } = stored
  return { ...strategy, ...(scaled ? { scaled } : {}) }
}

/** What a pass changes that only adds whole hashes. Nothing else is told before it is decided by them. */
export const hashesStatus = (
  stored: StrategyRunStatus,
  { run, promotion }: RunReport,
): Pick<ExperimentDeploymentStatus, 'strategy' | 'promotion'> => ({
  strategy: withHashesOf(stored, run),
  ...(promotion ? { promotion } : {}),
})

/**
 * A promotion that begins again has the record, by which it can be undone, and so has an undo that begins again. A run
 * that begins again has nothing.
 */
function keptPromotion(
  former: PromotionStatus | undefined,
  command: CommandVerb | undefined,
): PromotionStatus | undefined {
  if (!former || command === 'retry') return undefined
  const { written, restored, ...others } = former
  if (command === 'promote') return others
  return command === 'undo' && restored ? { ...others, ...(written ? { written } : {}) } : former
}

/** The condition of a run that waits, only while it waits: until when, and what ends it. */
export function pausedCondition(situation: Situation, report: RunReport | undefined): readonly ConditionDraft[] {
  const { metadata } = situation.facts.experiment
  const paused = (reason: ConditionDraft['reason'], message: string): readonly ConditionDraft[] => [
    { type: 'Paused', status: 'True', reason, message },
  ]
  if (report?.paused) return paused(report.paused.reason, report.paused.message)
  if (!report || phaseOf(report.run, report.steps) !== 'Paused') return []
  const { run, steps } = report
  const resumed = `until somebody resumes it: ${annotateCommand(metadata, COMMAND, 'resume')}`
  const { scaling } = situation
  const changedFrom = scaling?.stored?.changedFrom
  if (run.held && scaling && changedFrom !== undefined)
    return paused('SourceScaled', `${changedText(scaling, changedFrom)}; the run waits ${resumed}`)
  if (run.held) return paused('PausedByCommand', resumed)
  const step = steps[run.stepIndex]
  const preview = previewAt(situation, report)
  const until = step?.is === 'pause' && step.seconds !== undefined ? `until ${endOf(run.since, step.seconds)}, or ` : ''
  if (preview !== undefined) return paused('Previewing', `service/${preview} sends to the fork; ${until}${resumed}`)
  if (step?.is === 'analysis') {
    const { isInconclusive = false, message = 'the analysis has no verdict yet' } = report.analysis ?? {}
    return isInconclusive
      ? paused('AnalysisInconclusive', `${message}; it waits ${resumed}`)
      : paused('AnalysisStep', `until the analysis passes (${message}), or ${resumed}`)
  }
  if (step?.is !== 'pause')
    return paused('AwaitingPromotion', `until somebody promotes it: ${annotateCommand(metadata, COMMAND, 'promote')}`)
  return step.seconds === undefined ? paused('PauseStep', resumed) : paused('PauseDuration', `${until}${resumed}`)
}

/** The Service through which the fork is tested, at the pause for that, as long as it sends only to the fork. */
function previewAt({ facts, pins }: Situation, { run, steps }: RunReport): string | undefined {
  if (steps[run.stepIndex]?.is !== 'pause') return undefined
  const preview = steps.slice(0, run.stepIndex).find((step) => step.is === 'preview')
  if (pins?.preview && !isReported(facts, pins.preview, 'preview')) return undefined
  return preview && steps.slice(run.stepIndex).some(({ is }) => is === 'cutOver') ? preview.service : undefined
}

/**
 * Whether a Service is limited to the fork, and every node has known it. It is told once, and then as long as the
 * Service stays as it is: pods that come and go change nothing in that.
 */
const isReported = ({ experiment: { status } }: Facts, of: ServiceState, is: 'active' | 'preview'): boolean =>
  of.isOurs && (lastPassOf(status).limited[is] || sendsOnlyToFork(of))

/**
 * The condition of a blue-green whose active Service sends to its fork only, as long as it does, and that of one that
 * has fewer ready pods then than it promises, and than its source has.
 */
export function cutOverConditions(
  { facts, pins }: Situation,
  report: RunReport | undefined,
): readonly ConditionDraft[] {
  if (!report || !pins) return []
  const tooFew = tooFewPods(facts, report, pins)
  if (!isReported(facts, pins.active, 'active')) return tooFew
  return [
    {
      type: 'CutOver',
      status: 'True',
      reason: 'CutOver',
      message: `service/${pins.active.name} sends only to the fork`,
    },
    ...tooFew,
  ]
}

function tooFewPods(facts: Facts, report: RunReport, pins: PinState): readonly ConditionDraft[] {
  const shortage = shortageOf(facts, report, pins)
  if (!shortage) return []
  const { ready, promised, ofSource } = shortage
  const goes = `service/${pins.active.name} sends to the source again if that lasts a minute`
  const message = `${ready} of ${count(promised, 'pod')} of the fork are ready, and ${ofSource} of the source; ${goes}`
  return [{ type: 'TooFewPods', status: 'True', reason: 'TooFewPods', message }]
}

/** The condition of a run whose change the source has, only then. */
export function promotedCondition(
  { status }: ExperimentDeployment,
  report: RunReport | undefined,
): readonly ConditionDraft[] {
  const { written } = report?.promotion ?? status?.promotion ?? {}
  if (!written || report?.run.path !== 'Forward' || report.hasChange === false) return []
  const phase = phaseOf(report.run, report.steps)
  const message =
    phase === 'Promoted' ? 'the source has the change' : 'the source has the change; the fork is kept for a while'
  return [{ type: 'Promoted', status: 'True', reason: 'Promoted', message }]
}

/** RFC 3339 in whole seconds. */
export const endOf = (since: string, seconds: number): string =>
  `${new Date(Date.parse(since) + seconds * 1_000).toISOString().slice(0, 19)}Z`

/** The warning that `maxSurge` allows fewer pods than the present weight needs, because the source grew since. */
export function limitedWeight(report: RunReport | undefined): readonly Warning[] {
  const { weight, needed, pods } = report?.target ?? {}
  if (needed === undefined) return []
  return [warning('WeightLimited', `${weight}% needs ${needed} pods, and maxSurge allows ${pods}`, '; raise maxSurge')]
}

/**
 * The warning that a tool declares a Service of a blue-green, and may take the label of the fork away. Both the review
 * and the status tell it.
 */
export function ownedServices(situation: Situation, report: RunReport | undefined): readonly Warning[] {
  if (report?.run.path !== 'Forward' || !report.steps[report.run.stepIndex]) return []
  const owned = namedServices(situation, report).flatMap(({ name, declaredBy }) =>
    declaredBy === undefined ? [] : [`service/${name} is declared by ${declaredBy}`],
  )
  return owned.length === 0
    ? []
    : [warning('ServiceIsOwned', owned.join(', '), optionalClause(', which may undo a cut-over'))]
}

/** The Services of a blue-green, and who declares them. A review has views of them only. */
function namedServices(
  { facts, pins }: Situation,
  { spec }: RunReport,
): readonly Pick<ServiceView, 'name' | 'declaredBy'>[] {
  if (pins)
    return statesIn(pins).map(({ name, service }) => {
      const declaredBy = service && selectorDeclaredBy(service)
      return declaredBy === undefined ? { name } : { name, declaredBy }
    })
  const { activeService, previewService } = spec.blueGreen ?? {}
  const views = knownValue(facts.surroundings.traffic)?.services ?? []
  return [activeService, previewService].flatMap((named) => views.filter(({ name }) => name === named))
}
