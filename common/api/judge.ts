import type { ExperimentPolicy, Judged, PolicyFinding } from './policy.ts'

/** Everything that `policies` have against an experiment, each finding by itself; those that do not apply say nothing. */
export function judge(_policies: readonly ExperimentPolicy[], _judged: Judged): readonly PolicyFinding[] {
  return []
}
