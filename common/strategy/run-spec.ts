import type { Amount } from '../api/amount.ts'
import type { CanaryStep, PromotionMode, PromotionSpec } from '../api/strategy.ts'
import type { ExperimentDeploymentSpec } from '../api/types.ts'

/** Strategy and promotion of an experiment, with all defaults. */
export interface RunSpec extends Required<Pick<PromotionSpec, 'force' | 'skipSteps'>> {
  /** the steps of a canary; without any, its fork gets as many pods as `maxSurge` allows */
  readonly steps: readonly CanaryStep[]
  /** false: `spec.replicas` decides, and the fork can be promoted */
  readonly isCanary: boolean
  readonly maxSurge: Amount
  readonly maxUnavailable: Amount
  /** whether only opened pods get requests */
  readonly isGated: boolean
  readonly scaleDownDelaySeconds: number
  /** how long an aborted fork keeps its pods, if it is gated; 0: until it is deleted */
  readonly abortScaleDownDelaySeconds: number
  readonly progressDeadlineAbort: boolean
  readonly mode: PromotionMode
  readonly approvedRevision?: string
}

/** What the run of an experiment follows; undefined for one without strategy and promotion, which has no run. */
export function runSpecOf({ strategy, promotion, traffic }: ExperimentDeploymentSpec): RunSpec | undefined {
  if (!strategy && !promotion) return undefined
  const { mode = 'Manual', force = false, skipSteps = false, approvedRevision } = promotion ?? {}
  const { steps = [], maxSurge = '100%', maxUnavailable = 0, ...canary } = strategy?.canary ?? {}
  return {
    steps,
    isCanary: strategy !== undefined,
    maxSurge,
    maxUnavailable,
    isGated: strategy !== undefined && traffic?.mode === 'Gated',
    scaleDownDelaySeconds: canary.scaleDownDelaySeconds ?? 30,
    abortScaleDownDelaySeconds: canary.abortScaleDownDelaySeconds ?? 30,
    progressDeadlineAbort: canary.progressDeadlineAbort ?? false,
    mode,
    force,
    skipSteps,
    ...(approvedRevision === undefined ? {} : { approvedRevision }),
  }
}
