import { roundedDown } from '../api/amount.ts'
import { warning } from '../api/conditions.ts'
import { DEFAULTS } from '../api/defaults.ts'
import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { Warning } from '../api/types.ts'
import type { DesiredFork } from '../assess/assess.ts'
import { lostPortsOf } from '../assess/blue-green-errors.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import type { JsonObject } from '../json/json.ts'
import type { Plan } from '../outcome/conclusion.ts'
import { changesBetween, type FieldChange } from '../override/changes.ts'
import { wayBackText } from '../run/end-of-run.ts'
import { isMissingIn } from '../situation/obstacles.ts'
import { promotionInto, promotionWriter, sourceOverride } from '../situation/promotion.ts'
import { sizesOf, wasUndoAborted } from '../situation/run.ts'
import { unseenBy } from '../situation/seen-now.ts'
import { promisedPods } from '../situation/shortage.ts'
import type { RunState, Situation } from '../situation/situation.ts'
import { doubtAbout } from '../situation/source-has.ts'
import { nameOfStep, type RunStep } from '../strategy/compile.ts'
import { effectsAhead } from '../strategy/effects.ts'
import { forecastTexts } from '../strategy/forecast.ts'
import { isSameRun } from '../strategy/run.ts'
import { fieldOf } from '../strategy/take-back.ts'
import { podTargetAt, type Sizes } from '../strategy/target.ts'
import { readyEndpoints } from '../surroundings/endpoints.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { concernedServices } from '../surroundings/shares.ts'
import { count } from '../text/count.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { optionalClause } from '../text/fitted.ts'
import { listed } from '../text/list.ts'
import { shortName } from '../text/short-name.ts'
import { sizeLines } from './describe-size.ts'

/** How many characters of a line are for steps: it is a warning of at most 256. */
const MAX_LINE = 220

interface Run extends Pick<DesiredFork, 'fork' | 'gate' | 'run'> {
  /** whether the revision is not known yet: the real create after a dry run gets another uid */
  readonly isDryRunOfCreate: boolean
}

/**
 * The steps that are left of the run after the plan, with their pods and their share, in as many lines as they need,
 * and what its promotion costs; none without a run.
 */
export function strategyLines(
  situation: Situation,
  { conclusion }: Plan,
  { fork, gate, run: runOf, isDryRunOfCreate }: Run,
): readonly string[] {
  const { facts } = situation
  const state = conclusion.run ?? runOf()
  if (!state) return []
  const { run, steps, spec } = state
  if (run.path !== 'Forward') return wayBack(situation, state)
  const sizes = sizesOf(facts, spec, { fork })
  const texts = sizes
    ? [...forecastTexts(skippedCutOver(facts, state), sizes), ...forecastTexts(steps, sizes, run.stepIndex)]
    : steps.slice(run.stepIndex).map(nameOfStep)
  const lines = inLines(texts, introduction(facts, state))
  if (!sizes) return lines
  const isAhead = steps.slice(run.stepIndex).some(({ is }) => is === 'promote')
  return [
    ...(gate?.isEmptied ? ['first the fork loses its pods, which have no gate: nothing can shut them'] : []),
    ...lines,
    ...previewedRequests(facts, state),
    ...caveats(state, sizes),
    ...promisedLines(state, sizes),
    ...sizeLines(steps, sizes, run.stepIndex),
    ...(isAhead ? [promotionLine(facts, state, sizes), ...doubts(facts)] : []),
    ...(isAhead && !isDryRunOfCreate ? revisionLines(state) : []),
  ]
}

/** The cut-over that an early `promote` skips, which it makes up for, with the step of its pods; else no steps. */
function skippedCutOver({ experiment: { status } }: Facts, { run, steps }: RunState): readonly RunStep[] {
  const index = steps.findIndex(({ is }) => is === 'cutOver')
  const stored = status?.strategy
  const isSkipped = stored && isSameRun(stored, run) && stored.stepIndex <= index && index < run.stepIndex
  return isSkipped ? steps.slice(index - 1, index + 1) : []
}

/** What an undo takes back and leaves, or which promoted values stay without it, and what becomes of the fork. */
function wayBack(situation: Situation, state: RunState): readonly string[] {
  const { facts, undo } = situation
  const { run, steps } = state
  const name = shortName(facts.experiment.spec.sourceRef)
  const { isDone, taken, left } = undo?.is === 'possible' ? undo : { isDone: false, taken: [], left: [] }
  const lineOf = (before: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${before}${listed(paths.map(fieldOf))}`]
  if (steps[run.stepIndex]?.is === 'restore') {
    const what = isDone ? `${name} no longer has the change` : 'restores the former values of the source'
    return [`${what}, then takes all pods from the fork`, ...lineOf(`leaves what others changed in ${name}: `, left)]
  }
  const end = wayBackText(state, { mayHaveChange: wasUndoAborted(situation, run) })
  return run.path === 'Abort' ? [...lineOf(`${name} keeps what was promoted: `, taken), end] : [end]
}

/** The text before the first step. */
function introduction({ experiment }: Facts, { run, steps }: RunState): string {
  const place = `step ${run.stepIndex + 1} of ${steps.length}`
  if (run.held) return `paused until resumed, at ${place}: `
  if (run.stepIndex > 0) return `from ${place}: `
  const stored = experiment.status?.strategy
  return stored === undefined || isSameRun(stored, run) ? 'steps: ' : 'a new run begins: '
}

/**
 * The Services of a blue-green for which its run will wait, because they do not exist. A Service that may be meant is
 * named only if it selects the pods of the source: the plan and the status name these to every author.
 */
export function missingServices(
  facts: Facts,
  { conclusion }: Plan,
  { fork, run: runOf }: DesiredFork,
): readonly Warning[] {
  const state = conclusion.run ?? runOf()
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  const { blueGreen } = state?.spec ?? {}
  if (!state || !blueGreen || state.run.path !== 'Forward' || !pair || !traffic) return []
  const { run, steps } = state
  const { activeService, previewService } = blueGreen
  const isAhead = (is: RunStep['is']) => run.stepIndex <= steps.findIndex((step) => step.is === is)
  const previews = isAhead('cutOver') && previewService !== undefined ? [previewService] : []
  const needed = [...(isAhead('promote') ? [activeService] : []), ...previews]
  const known = concernedServices(traffic, trafficInput(pair))
  return needed
    .filter((name) => isMissingIn(traffic, name))
    .map((name) => {
      const meant = didYouMean(name, known)
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`
      return warning(
        'ServiceNotFound',
        `service/${name} does not exist, or has no selector: the run waits for it`,
        hint,
      )
    })
}

/** How many pods answer to the preview Service until its step, if the run reaches that step without another word. */
function previewedRequests({ surroundings: { traffic } }: Facts, { run, spec }: RunState): readonly string[] {
  const { previewService } = spec.blueGreen ?? {}
  const view = knownValue(traffic)
  const service = view?.services.find(({ name }) => name === previewService)
  if (!view || !service || !effectsAhead({ spec, run, isApproved: false }).includes('preview')) return []
  const { all } = readyEndpoints(view.slices, service)
  return [`service/${service.name} has ${count(all, 'ready endpoint')} now; then it sends only to the fork`]
}

/** The ports for which the run will wait, because no pod would answer there for a Service of a blue-green. */
export function portWarnings(facts: Facts, { conclusion }: Plan, fork: KubeObject): readonly Warning[] {
  if (conclusion.run?.run.path !== 'Forward') return []
  return lostPortsOf(facts, fork).map((lost) => warning('PortMissing', lost, optionalClause(': the run waits for it')))
}

/** After what a blue-green returns its active Service by itself, while it sends to the fork or will. */
function promisedLines({ run, steps, spec }: RunState, { source }: Sizes): readonly string[] {
  const { activeService, maxUnavailable = 0 } = spec.blueGreen ?? {}
  const isAhead = steps.findIndex(({ is }) => is === 'return') > run.stepIndex
  if (activeService === undefined || !isAhead) return []
  const promised = promisedPods(source, maxUnavailable)
  const tooFew = promised > 1 ? `, or fewer than ${promised} for 60s while the source has more` : ''
  return [`service/${activeService} sends to the source again when no pod of the fork is ready${tooFew}`]
}

/** What the author may not expect. */
function caveats({ run, steps, spec }: RunState, sizes: Sizes): readonly string[] {
  const { weight, pods } = podTargetAt(steps, run.stepIndex, sizes)
  const { replicas, source } = sizes
  const isWaiting = source === 0 && steps.slice(run.stepIndex).some(({ is }) => is === 'setWeight')
  const isUnused = spec.blueGreen || (!sizes.isGated && weight !== undefined && replicas !== pods)
  const decider = spec.blueGreen ? 'in a blue-green' : 'while a weight decides'
  const gated = `gated: at least ${count(replicas, 'pod')} run, and a weight opens as many as it needs`
  return [
    ...(sizes.isGated && !spec.blueGreen ? [gated] : []),
    ...(isWaiting ? ['the source has no pods, so a weight means 0 pods: the run waits until the source has some'] : []),
    ...(isUnused && replicas !== DEFAULTS.replicas ? [`spec.replicas ${replicas} is not used ${decider}`] : []),
  ]
}

/** Who writes the source, and what that costs. */
function promotionLine(facts: Facts, { spec, run }: RunState, sizes: Sizes): string {
  const name = shortName(facts.experiment.spec.sourceRef)
  const source = knownValue(facts.source)?.object
  const promotion = source && promotionInto(facts, source)
  const { mode } = promotionWriter(spec, { source, promotion, installed: facts.installed })
  if (mode === 'Export') return `promote: waits until ${name} has the change; status.promotion.patch says how`
  const unseen = source && unseenBy(facts, run, source)
  if (unseen !== undefined) return `promote: ${name} is not written without the command promote: ${unseen}`
  const serving = Math.max(0, sizes.source - (roundedDown(spec.maxUnavailable, sizes.source) ?? 0))
  return `promote: writes ${name}; at least ${count(sizes.inside?.bounds.least ?? serving, 'pod')} serving at any time`
}

/** What a review cannot know: it may write nothing, not even in a dry run. */
function doubts(facts: Facts): readonly string[] {
  const source = knownValue(facts.source)?.object
  const found = source && promotionInto(facts, source)
  const doubt = found && doubtAbout(facts, source, found)
  return doubt === undefined ? [] : [doubt]
}

/** What the command `promote` and an approval name; none where they have no meaning. */
const revisionLines = ({ spec, run: { wholeRevision } }: RunState): readonly string[] =>
  spec.mode === 'Export' || wholeRevision === undefined ? [] : [`revision: ${wholeRevision}`]

/**
 * What the step that the plan moves the run to writes into the source: old and new values. None where the plan does not
 * move it there, or where it waits there because of what others changed.
 */
export function sourceChanges(situation: Situation, { conclusion: { run } }: Plan): readonly FieldChange[] {
  const { facts } = situation
  const source = knownValue(facts.source)?.object
  if (!run?.moved || !source) return []
  const { spec, shape } = sourceOverride(facts, source)
  const after = afterStep(situation, source, run)
  return after ? changesBetween(spec, after, shape) : []
}

/** The `spec` of the source after a step that writes it; undefined for other steps, and where that is not known. */
function afterStep(
  { facts, undo: found }: Situation,
  source: KubeObject,
  { run, steps }: RunState,
): JsonObject | undefined {
  const step = steps[run.stepIndex]
  if (step?.is === 'promote')
    return unseenBy(facts, run, source) === undefined ? promotionInto(facts, source)?.after : undefined
  const undo = step?.is === 'restore' ? found : undefined
  return undo?.is === 'possible' ? undo.after : undefined
}

function inLines(texts: readonly string[], first: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const text of texts) {
    if (line !== '' && line.length + text.length > MAX_LINE) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? `${lines.length === 0 ? first : 'then '}${text}` : `; ${text}`
  }
  return line === '' ? lines : [...lines, line]
}
