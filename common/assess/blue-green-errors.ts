import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { ExperimentDeployment, FieldError } from '../api/types.ts'
import { isEqual } from '../json/json.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { lostPorts } from '../surroundings/ports.ts'
import { notSwitchable } from '../surroundings/switchable.ts'
import { type Facts, forkAndSource, type SpecFacts } from './facts.ts'
import { pinningAt } from './pins.ts'
import { runHash, storedRun } from './run.ts'

const FIELD = 'spec.strategy.blueGreen'

/**
 * What is wrong with the Services that a blue-green names, for `fork`. One that does not exist yet is no mistake: the
 * run waits for it.
 */
export function blueGreenErrors(facts: Facts, fork: KubeObject | undefined): readonly FieldError[] {
  const { blueGreen } = facts.experiment.spec.strategy ?? {}
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!blueGreen || !pair || !traffic) return []
  const pods = trafficInput(pair)
  return (['activeService', 'previewService'] as const).flatMap((field) => {
    const service = traffic.services.find(({ name }) => name === blueGreen[field])
    const found = service && notSwitchable(service.name, service, { ...pods, isActive: field === 'activeService' })
    return found ? [{ field: `${FIELD}.${field}`, message: found.message, cause: 'FieldValueInvalid' as const }] : []
  })
}

/** Why a Service of a blue-green would lose requests that only `fork` answers: the ports that the fork lacks. */
export function lostPortsOf(facts: Facts, fork: KubeObject | undefined): readonly string[] {
  const { activeService, previewService } = facts.experiment.spec.strategy?.blueGreen ?? {}
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return []
  const pods = trafficInput(pair)
  return traffic.services.flatMap((service) =>
    [activeService, previewService].includes(service.name) ? (lostPorts(service, pods) ?? []) : [],
  )
}

const OF_THE_RUN = ['overrideSpec', 'overrideType', 'strategy', 'traffic', 'promotion'] as const

/**
 * Refuses to begin another run while a Service sends only to the fork of the present one: its pods serve production, so
 * they cannot be changed, and nobody said that the Service shall go back.
 */
export function pinnedEditErrors(facts: SpecFacts, previous: ExperimentDeployment | undefined): readonly FieldError[] {
  const state = previous && storedRun({ ...facts, experiment: previous })
  const { activeService } = state?.spec.blueGreen ?? {}
  if (!previous || !state || activeService === undefined || runHash(facts.experiment) === runHash(previous)) return []
  const { run, steps } = state
  if (run.path !== 'Forward' || pinningAt(run, steps).active !== 'pinned') return []
  const isWritten = previous.status?.promotion?.record !== undefined
  const remedy = isWritten ? 'say undo, or wait until it is over' : 'say abort first, or promote it'
  const message = `cannot be changed while service/${activeService} sends only to the fork; ${remedy}`
  const changed = OF_THE_RUN.filter((key) => !isEqual(facts.experiment.spec[key], previous.spec[key]))
  return changed.map((key) => ({ field: `spec.${key}`, message, cause: 'FieldValueForbidden' }))
}
