import { knownValue } from '../api/known.ts'
import type { KubeObject } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import { type Facts, forkAndSource } from '../facts/facts.ts'
import { trafficInput } from '../surroundings/pod-labels.ts'
import { lostPorts } from '../surroundings/ports.ts'
import { notSwitchable } from '../surroundings/switchable.ts'

const FIELD = 'spec.strategy.blueGreen'

/**
 * What is wrong with the Services that a blue-green names, for `fork`. A Service that does not exist yet is no mistake:
 * the run waits for it.
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

/** The messages about ports that a Service of a blue-green uses and `fork` lacks: requests to them would fail. */
export function lostPortsOf(facts: Facts, fork: KubeObject | undefined): readonly string[] {
  const { activeService, previewService } = facts.experiment.spec.strategy?.blueGreen ?? {}
  const [pair, traffic] = [forkAndSource(facts, fork), knownValue(facts.surroundings.traffic)]
  if (!pair || !traffic) return []
  const pods = trafficInput(pair)
  return traffic.services.flatMap((service) =>
    [activeService, previewService].includes(service.name) ? (lostPorts(service, pods) ?? []) : [],
  )
}
