import type { ExperimentDeployment } from './types.ts'

/** When `experiment` is over, as RFC 3339; undefined without a `ttlSeconds`. */
export function expiresAt({ metadata, spec }: ExperimentDeployment): string | undefined {
  const createdMs = Date.parse(metadata.creationTimestamp ?? '')
  if (spec.ttlSeconds === undefined || Number.isNaN(createdMs)) return undefined
  return `${new Date(createdMs + spec.ttlSeconds * 1_000).toISOString().slice(0, 19)}Z`
}

/** Milliseconds until then, zero or less once it is over; Infinity without one. */
export function untilExpiryMs(experiment: ExperimentDeployment, now: Date): number {
  const end = expiresAt(experiment)
  return end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end) - now.getTime()
}
