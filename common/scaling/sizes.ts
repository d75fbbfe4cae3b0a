import { type Amount, roundedDown, roundedUp } from '../api/amount.ts'

/** The `spec.replicas` of a fork and of its source. */
export interface SizePair {
  readonly fork: number
  readonly source: number
}

/** How many pods a fork and its source may have together. */
export interface SizeBounds {
  /** the most that both are told to have, those that are ending included */
  readonly most: number
  /** the least that are available whenever one of them gets smaller */
  readonly least: number
}

/** What bounds both together, as a user writes it. */
export interface SizeLimits {
  /** a number, or percent of the size, rounded up */
  readonly maxSurge: Amount
  /** a number, or percent of the size, rounded down */
  readonly maxUnavailable: Amount
}

/**
 * The bounds for a source that has `size` pods without the canary. Where rounding makes 0 of both limits, one pod may
 * be unavailable: as Kubernetes and Argo do.
 */
export function boundsOf(size: number, { maxSurge, maxUnavailable }: SizeLimits): SizeBounds {
  const surge = roundedUp(maxSurge, size) ?? 0
  const down = roundedDown(maxUnavailable, size) ?? 0
  return { most: size + surge, least: Math.max(0, size - (surge === 0 && down === 0 ? 1 : down)) }
}

/**
 * The sizes at `weight` percent, below 100: of the whole numbers the nearest to the weight for the fork, the smaller of
 * two that are as near, and the rest for the source. Each has at least one pod, unless the weight or the size is 0.
 * Without a surge, the fork leaves one pod to its source.
 */
export function insideAtWeight(weight: number, size: number, { most }: SizeBounds): SizePair {
  if (weight <= 0 || size <= 0) return { fork: 0, source: size }
  const nearest = Math.max(1, Math.ceil((size * weight - 50) / 100))
  const fork = Math.min(nearest, most > size ? size : size - 1)
  return { fork, source: Math.max(1, size - fork) }
}

/** What the source's own rollout does when the source has one pod. */
export interface OwnRollout {
  /** whether it takes that pod down before there is another one */
  readonly takesDown: boolean
  /** how many pods it adds meanwhile */
  readonly surge: number
}

/**
 * The sizes at which the source is written: one pod of the source, all others of the fork, which serves for that one
 * pod, too, where the rollout of the source takes it down. The pods that this rollout adds count.
 */
export function insideAtPromotion(size: number, { most, least }: SizeBounds, rollout: OwnRollout): SizePair {
  if (size <= 0) return { fork: 0, source: 0 }
  const wanted = rollout.takesDown ? size : size - 1
  const left = rollout.takesDown ? 0 : 1
  const fork = Math.max(Math.min(wanted, most - 1 - rollout.surge), Math.min(wanted, least - left, most - 1))
  return { fork: Math.max(0, fork), source: 1 }
}
