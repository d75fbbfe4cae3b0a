import { allowedReplicas } from '../api/defaults.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { strategyRunSpec } from '../strategy/run-spec.ts'

/**
 * How many pods of an experiment count for a limit: those of its fork or those that are reserved for it, the greater.
 * Undefined without both.
 */
export const countedReplicas = (ofFork: number | undefined, reserved: number | undefined): number | undefined =>
  ofFork === undefined ? reserved : Math.max(ofFork, reserved ?? 0)

/**
 * As `countedReplicas`, for a program that sees only the status, and neither the fork nor the reservation.
 * `spec.replicas` counts as reserved while the fork is still to come, and after a change of `spec` that no pass has
 * seen.
 */
export function replicasByStatus(experiment: ExperimentDeployment): number | undefined {
  const { status, metadata } = experiment
  const ofFork = replicasIn(status?.pods)
  const isPresent = status?.observedGeneration === metadata.generation
  const isSettled = isPresent && (ofFork !== undefined || isEnding(experiment))
  return countedReplicas(ofFork, isSettled ? undefined : allowedReplicas(experiment))
}

/** The second number in `1/3`, ready and wanted pods, which a status has only while there is a fork. */
function replicasIn(pods = ''): number | undefined {
  const [, wanted] = /^\d+\/(\d+)$/.exec(pods) ?? []
  return wanted === undefined ? undefined : Number(wanted)
}

/** Whether its run needs no fork any more: it is promoted, or on its way back. */
function isEnding({ spec, status }: ExperimentDeployment): boolean {
  const { path, phase } = status?.strategy ?? {}
  return strategyRunSpec(spec) !== undefined && (phase === 'Promoted' || path === 'Abort' || path === 'Undo')
}
