import type { ExperimentDeployment } from './types.ts'

/** The largest `ttlSeconds`, as in the CRD: a year. Of a much larger one there is no date. */
export const MAX_TTL_SECONDS = 31_536_000

/** When `experiment` expires, in RFC 3339; undefined without `ttlSeconds` or before it is created. */
export function expiresAt({ metadata, spec }: ExperimentDeployment): string | undefined {
  const createdMs = Date.parse(metadata.creationTimestamp ?? '')
  if (spec.ttlSeconds === undefined || Number.isNaN(createdMs)) return undefined
  return `${new Date(createdMs + spec.ttlSeconds * 1_000).toISOString().slice(0, 19)}Z`
}

/** Milliseconds until `experiment` expires: zero or less once it has expired, Infinity if it never does. */
export function untilExpiryMs(experiment: ExperimentDeployment, now: Date): number {
  const end = expiresAt(experiment)
  return end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end) - now.getTime()
}

/** Whether `experiment` counts against limits: neither expired nor being deleted. */
export const isLive = (experiment: ExperimentDeployment, now: Date): boolean =>
  experiment.metadata.deletionTimestamp === undefined && untilExpiryMs(experiment, now) > 0
