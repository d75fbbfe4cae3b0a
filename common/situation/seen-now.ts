import { ABSENT, knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { SeenSource, StrategyRunStatus } from '../api/strategy.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { mergePatch } from '../override/strategic.ts'
import type { RunStep } from '../strategy/compile.ts'
import { isSameRun, type Run } from '../strategy/run.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { driftText, isStoredInPart, seenSource, withSeen } from '../strategy/seen-source.ts'
import { type Overriding, recordedPatches, sourceOverride } from './promotion.ts'
import { runHashes } from './run-hash.ts'

/**
 * What `source` has in the fields that a promotion changes; undefined if that is not known. Without the schema the
 * items of lists may have other names.
 */
export const seenIn = (facts: Overriding, source: KubeObject | undefined): SeenSource | undefined =>
  source && facts.schema.is === 'known' ? seenSource(sourceOverride(facts, source)) : undefined

/** As `seenIn`, of the source as the facts have it. */
export const seenNow = (facts: SpecFacts): SeenSource | undefined =>
  seenIn(facts, knownValue(facts.promotion?.source ?? ABSENT) ?? knownValue(facts.source)?.object)

/**
 * The run with what it saw of its source when it began. One that an earlier version stored gets it in its first pass. A
 * way back does not need it.
 */
export function withSeenSource(facts: SpecFacts, run: Run, steps: readonly RunStep[]): Run {
  const { seen: stored, ...others } = run
  if (run.path !== 'Forward') return others
  const seen = stored ?? seenNow(facts)
  return seen ? withSeen(run, seen, steps[run.stepIndex]?.is === 'promote') : run
}

/**
 * What a promotion would write over, or write, that neither the run nor who promoted it has seen: newer values in the
 * source, of which it has both, or another template of the fork. Undefined if nothing.
 */
export function unseenBy(facts: SpecFacts, run: Run, source: KubeObject): string | undefined {
  const { seen, wholeRevision } = run
  const newer = newerValues(facts, run, source)
  if (newer !== undefined) return `others changed it: ${newer}`
  if (seen?.revision === undefined || wholeRevision === undefined || seen.revision === wholeRevision) return undefined
  return 'the fork has got another template since the run came to its promotion'
}

/** A write of ours that was stored in part, and whose reply was lost, is no newer value. */
function newerValues(facts: SpecFacts, { seen }: Run, source: KubeObject): string | undefined {
  const now = seenIn(facts, source)
  if (!seen || !now || now.values === seen.values) return undefined
  const [override, inverse] = [sourceOverride(facts, source), recordedPatches(facts)?.inverse]
  const isOurs = inverse !== undefined && isStoredInPart(override, mergePatch(override.spec, inverse), seen)
  return isOurs ? undefined : driftText(seen, now)
}

/** Whether a run has not seen its source yet. Then that is read as it is now: a cache may have an earlier one. */
export function mustSeeSource(experiment: ExperimentDeployment): boolean {
  const stored = experiment.status?.strategy
  if (!strategyRunSpec(experiment.spec)) return false
  return !stored || !isSameRun(stored, runHashes(experiment)) || lacksSeen(stored)
}

const lacksSeen = ({ path, seen }: StrategyRunStatus): boolean => path === 'Forward' && seen === undefined
