import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import type { SpecFacts } from '../facts/facts.ts'
import { isEqual } from '../json/json.ts'
import { limitedServices, pinningAt } from '../situation/pins.ts'
import { mayHaveWritten, promotionIn } from '../situation/run.ts'
import { runHash, strategyOfRun } from '../situation/run-hash.ts'
import type { RunState, SpecSituation } from '../situation/situation.ts'
import { situationOf } from '../situation/situation-of.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'
import { shortName } from '../text/short-name.ts'

const OF_THE_RUN = ['overrideSpec', 'overrideType', 'strategy', 'traffic', 'promotion', 'analysis'] as const

/**
 * Refuses an edit that would begin another run while production depends on the present one. The active Service sends
 * only to the fork, and nobody gave a command to return it. Or the source is written, and the fork serves until its
 * rollout is over. Or the run is on its way back, and another run would forget the source, or a Service that its
 * strategy does not name. Such a run would also forget a preview Service.
 */
export function editErrors(
  { facts, runHashes }: SpecSituation,
  previous: ExperimentDeployment | undefined,
): readonly FieldError[] {
  if (!previous || runHashes.wholeRun === runHash(previous)) return []
  const before = situationOf({ ...facts, experiment: previous })
  const state = before.storedRun
  const found = state && (unfinishedRun(before, state) ?? forgottenPreview(facts, state))
  if (!found) return []
  const isSame = (key: Field) => isEqual(partOf(facts.experiment, key), partOf(previous, key))
  const changed = found.fields.filter((key) => !isSame(key))
  return changed.map((key) => ({
    field: `spec.${key}`,
    message: `cannot be changed while ${found.what}; ${found.remedy}`,
    cause: 'FieldValueForbidden',
  }))
}

type Field = (typeof OF_THE_RUN)[number]

/** The part of a field whose edit begins another run: of an analysis, only whether there is one. */
function partOf({ spec }: ExperimentDeployment, key: Field): unknown {
  if (key === 'strategy') return strategyOfRun(spec)
  return key === 'analysis' ? spec.analysis !== undefined : spec[key]
}

/** The preview Service that sends only to the fork, if another run would not know it and so would not return it. */
function forgottenPreview(facts: SpecFacts, { spec, run, steps }: RunState): UnfinishedRun | undefined {
  const { previewService } = spec.blueGreen ?? {}
  if (previewService === undefined || pinningAt(run, steps).preview !== 'pinned') return undefined
  if (strategyRunSpec(facts.experiment.spec)?.blueGreen?.previewService === previewService) return undefined
  // a Service of that name may not exist
  if (limitedServices(facts)?.includes(previewService) === false) return undefined
  return {
    what: `service/${previewService} sends only to the fork`,
    remedy: 'give the command abort first',
    fields: ['strategy'],
  }
}

interface UnfinishedRun {
  readonly what: string
  /** the command or action that ends it */
  readonly remedy: string
  readonly fields: readonly Field[]
}

/** What must be over before another run begins. */
function unfinishedRun(situation: SpecSituation, { spec, run, steps }: RunState): UnfinishedRun | undefined {
  const { facts } = situation
  const step = steps[run.stepIndex]
  if (!step) return undefined
  const { activeService } = spec.blueGreen ?? {}
  const source = shortName(facts.experiment.spec.sourceRef)
  const wait = 'wait until it is over'
  if (step.is === 'restore')
    return { what: `${source} is restored`, remedy: `give the command abort, or ${wait}`, fields: OF_THE_RUN }
  if (run.path !== 'Forward')
    // another run with the same Services goes on to return them
    return step.is === 'return'
      ? { what: `service/${activeService} is returned`, remedy: wait, fields: ['strategy'] }
      : undefined
  const { record, written } = promotionIn(facts.experiment, run) ?? {}
  const remedy = record ? `give the command undo, or ${wait}` : wait
  if (activeService !== undefined && pinningAt(run, steps).active === 'pinned')
    return {
      what: `service/${activeService} sends only to the fork`,
      remedy: mayHaveWritten(situation, run) ? remedy : 'give the command abort first, or promote it',
      fields: OF_THE_RUN,
    }
  if (!record && !(written && situation.hasChange)) return undefined
  return { what: `${source} is promoted`, remedy, fields: OF_THE_RUN }
}
