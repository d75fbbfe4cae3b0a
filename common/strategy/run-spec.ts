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
  readonly scaleDownDelaySeconds: number
  readonly progressDeadlineAbort: boolean
  readonly mode: PromotionMode
  readonly approvedRevision?: string
}

/** What the run of an experiment follows; undefined for one without strategy and promotion, which has no run. */
export function runSpecOf({ strategy, promotion }: ExperimentDeploymentSpec): RunSpec | undefined {
  if (!strategy && !promotion) return undefined
  const { mode = 'Manual', force = false, skipSteps = false, approvedRevision } = promotion ?? {}
  const { steps = [], maxSurge = '100%', maxUnavailable = 0, ...canary } = strategy?.canary ?? {}
  return {
    steps,
    isCanary: strategy !== undefined,
    maxSurge,
    maxUnavailable,
    scaleDownDelaySeconds: canary.scaleDownDelaySeconds ?? 30,
    progressDeadlineAbort: canary.progressDeadlineAbort ?? false,
    mode,
    force,
    skipSteps,
    ...(approvedRevision === undefined ? {} : { approvedRevision }),
  }
}
