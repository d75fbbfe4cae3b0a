import { untilExpiryMs } from '../api/expiry.ts'
import type { KubeObject } from '../api/object.ts'
import type { RunPath } from '../api/strategy.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { lazily, lazy } from '../facts/lazy.ts'
import { compileSteps } from '../strategy/compile.ts'
import { isSameRun, phaseOf } from '../strategy/run.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { isBeingDeleted } from '../workload/identity.ts'
import { isServing, pinState } from './pins.ts'
import { hasChange, isReverted, isUntouched, recordedPatches } from './promotion.ts'
import { isWriting, runState, wantedReplicas } from './run.ts'
import { lacksHashes, runHashes, withHashesOf } from './run-hash.ts'
import { scalingOf } from './scaling.ts'
import type { Situation, SpecSituation, Stage } from './situation.ts'
import { undoOf } from './undo.ts'
/** What `facts` mean. */
export function situationOf<F extends SpecFacts>(facts: F): Situation<F> {
  const { experiment, now } = facts
  const situation: Situation<F> = lazily<Situation<F>>({
    facts: () => facts,
    installed: () => facts.installed,
    stage: () => stageOf(situation),
    hasExpired: () => untilExpiryMs(experiment, now) <= 0 && (!situation.isWriting || situation.isUntouched),
    strategy: () => strategyRunSpec(experiment.spec),
    runHashes: () => runHashes(experiment),
    stepsOf: () => {
      const paths = { Forward: stepsOn('Forward'), Abort: stepsOn('Abort'), Undo: stepsOn('Undo') }
      return (path) => paths[path]()
    },
    run: () => runState(situation, undefined),
    storedRun: () => (experiment.status?.strategy ? situation.run : undefined),
    pins: () => pinState(situation),
    isWriting: () => isWriting(situation),
    wantedReplicas: () => wantedReplicas(situation),
    servingReplicas: () => situation.run?.target?.open ?? situation.wantedReplicas,
    hasChange: () => hasChange(facts),
    isReverted: () => isReverted(facts),
    isUntouched: () => isUntouched(facts),
    recordedPatches: () => recordedPatches(facts),
    scaling: () => scalingOf(situation),
    undo: () => undoOf(situation),
  })
  const stepsOn = (path: RunPath) => lazy(() => (situation.strategy ? compileSteps(situation.strategy, path) : []))
  return situation
}

function stageOf(situation: SpecSituation): Stage {
  const { facts, storedRun, hasExpired, pins } = situation
  if (isBeingDeleted(facts.experiment)) return 'deleting'
  const isReturning = storedRun !== undefined && storedRun.run.path !== 'Forward' && pins && isServing(facts, pins)
  if (hasExpired && !isReturning) return 'expired'
  if (storedRun && phaseOf(storedRun.run, storedRun.steps) === 'Promoted') return 'promoted'
  return hasExpired ? 'returning' : 'ongoing'
}

/**
 * `facts` as a pass leaves them that adds the whole hashes to a run of an earlier version. A review judges by these.
 */
export function withAddedHashes<T extends SpecFacts>(facts: T, fork: KubeObject | undefined): T {
  const { experiment } = facts
  const { strategy: stored } = experiment.status ?? {}
  const run = stored && runState(situationOf(facts), fork)?.run
  if (!stored || !run || !isSameRun(stored, run) || !lacksHashes(stored, run)) return facts
  const status = { ...experiment.status, strategy: withHashesOf(stored, run) }
  return { ...facts, experiment: { ...experiment, status } }
}
