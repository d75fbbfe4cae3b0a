import { percent } from '../text/percent.ts'
import type { PodTarget } from './target.ts'

/** The pods that get requests once a target is reached. */
export interface Reach {
  readonly fork: number
  /** of the source, beside them */
  readonly source: number
  /** the weight of routes, which decides the share; absent: the pods decide it */
  readonly routed?: number
}

interface Sides {
  /** `spec.replicas` of the fork */
  readonly fork: number
  /** `spec.replicas` of the source */
  readonly source: number
  /** whether only opened pods of the fork get requests */
  readonly isGated: boolean
}

/**
 * Whom a target lets have requests, whatever makes it so: the number of pods, a gate that opens some of them, the size
 * of the source, or routes. Plan, policies and the run ask here. While the target is not known, no gate is opened.
 */
export const reach = (target: Partial<PodTarget> | undefined, { fork, source, isGated }: Sides): Reach => ({
  fork: isGated ? (target?.open ?? 0) : fork,
  source: target?.source ?? source,
  ...(target?.routed === undefined ? {} : { routed: target.routed }),
})

/** The share of the fork, such as `9%`; undefined if nobody gets requests. */
export const shareOf = ({ fork, source, routed }: Reach): string | undefined =>
  routed === undefined ? percent(fork, fork + source) : `${routed}%`
