import { knownValue } from '../api/known.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import { isEqual } from '../json/json.ts'
import { shortName } from '../text/short-name.ts'
import type { SpecFacts } from './facts.ts'
import { pinningAt } from './pins.ts'
import { promotionInto } from './promotion.ts'
import { promotionIn, type RunState, runHash, storedRun } from './run.ts'

const OF_THE_RUN = ['overrideSpec', 'overrideType', 'strategy', 'traffic', 'promotion'] as const

/**
 * Refuses to begin another run while production depends on the present one. While a Service sends only to the fork, its
 * pods cannot be changed, and nobody said that the Service shall go back. Once the source is written, the fork serves
 * until the source's own rollout is over.
 */
export function editErrors(facts: SpecFacts, previous: ExperimentDeployment | undefined): readonly FieldError[] {
  if (!previous || runHash(facts.experiment) === runHash(previous)) return []
  const before = { ...facts, experiment: previous }
  const state = storedRun(before)
  const found = state && heldBy(before, state)
  if (!found) return []
  const changed = OF_THE_RUN.filter((key) => !isEqual(facts.experiment.spec[key], previous.spec[key]))
  return changed.map((key) => ({
    field: `spec.${key}`,
    message: `cannot be changed while ${found.what}; ${found.remedy}`,
    cause: 'FieldValueForbidden',
  }))
}

/** What must be over before another run begins, and by which word it ends. */
function heldBy(facts: SpecFacts, { spec, run, steps }: RunState) {
  if (run.path !== 'Forward' || !steps[run.stepIndex]) return undefined
  const { record, written } = promotionIn(facts.experiment, run) ?? {}
  const remedy = record ? 'say undo, or wait until it is over' : 'wait until it is over'
  const { activeService } = spec.blueGreen ?? {}
  if (activeService !== undefined && pinningAt(run, steps).active === 'pinned')
    return {
      what: `service/${activeService} sends only to the fork`,
      remedy: record || written ? remedy : 'say abort first, or promote it',
    }
  // Others may have made the change and taken it back. Then nothing of this run is in the source.
  if (!record && !(written && hasChange(facts))) return undefined
  return { what: `${shortName(facts.experiment.spec.sourceRef)} is promoted`, remedy }
}

function hasChange(facts: SpecFacts): boolean {
  const source = knownValue(facts.source)?.object
  return source !== undefined && promotionInto(facts, source)?.isDone === true
}
