import type { Amount } from '../api/amount.ts'
import type { BlueGreenStrategy, CanaryStep, PromotionMode, PromotionSpec } from '../api/strategy.ts'
import type { ExperimentDeploymentSpec } from '../api/types.ts'

/** A blue-green with its defaults. Its delays are those of the run. */
export interface BlueGreenSpec
  extends Pick<BlueGreenStrategy, 'activeService' | 'previewService' | 'previewReplicaCount'>,
    Required<Pick<BlueGreenStrategy, 'autoPromotionEnabled' | 'autoPromotionSeconds' | 'maxUnavailable'>> {}

/** Strategy and promotion of an experiment, with all defaults. */
export interface StrategyRunSpec extends Required<Pick<PromotionSpec, 'force' | 'skipSteps'>> {
  /** the steps of a canary; without any, its fork gets as many pods as `maxSurge` allows */
  readonly steps: readonly CanaryStep[]
  /** false without `blueGreen`: `spec.replicas` decides, and the fork can be promoted */
  readonly isCanary: boolean
  /** absent: the run changes no Service */
  readonly blueGreen?: BlueGreenSpec
  readonly maxSurge: Amount
  /** of the source, while it is promoted; that of a blue-green is about the fork */
  readonly maxUnavailable: Amount
  /** whether the source gets smaller as the fork grows: then `maxSurge` and `maxUnavailable` count the pods of both */
  readonly isInsideSource: boolean
  /** whether only opened pods get requests */
  readonly isGated: boolean
  /** whether the fork is compared with its source meanwhile */
  readonly isAnalyzed: boolean
  readonly scaleDownDelaySeconds: number
  /** how long an aborted fork keeps its pods, if it is gated; 0: until it is deleted */
  readonly abortScaleDownDelaySeconds: number
  readonly progressDeadlineAbort: boolean
  readonly mode: PromotionMode
  readonly approvedRevision?: string
}

/** What the run of an experiment follows; undefined for one without strategy and promotion, which has no run. */
export function strategyRunSpec({
  strategy,
  promotion,
  traffic,
  analysis,
}: ExperimentDeploymentSpec): StrategyRunSpec | undefined {
  if (!strategy && !promotion) return undefined
  const { mode = 'Manual', force = false, skipSteps = false, approvedRevision } = promotion ?? {}
  const { canary, blueGreen } = strategy ?? {}
  const { steps = [], maxUnavailable = 0 } = canary ?? {}
  const isInsideSource = canary?.scaleDownSource === true
  const delays = canary ?? blueGreen ?? {}
  return {
    steps,
    isCanary: canary !== undefined,
    ...(blueGreen ? { blueGreen: blueGreenSpec(blueGreen) } : {}),
    maxSurge: canary?.maxSurge ?? (isInsideSource ? '25%' : '100%'),
    maxUnavailable,
    isInsideSource,
    isGated: blueGreen !== undefined || (canary !== undefined && traffic?.mode === 'Gated'),
    isAnalyzed: analysis !== undefined,
    scaleDownDelaySeconds: delays.scaleDownDelaySeconds ?? 30,
    abortScaleDownDelaySeconds: delays.abortScaleDownDelaySeconds ?? 30,
    progressDeadlineAbort: delays.progressDeadlineAbort ?? false,
    mode,
    force,
    skipSteps,
    ...(approvedRevision === undefined ? {} : { approvedRevision }),
  }
}

/** Without a preview there is nothing to wait for, so that the cut-over needs no command. */
function blueGreenSpec(of: BlueGreenStrategy): BlueGreenSpec {
  const { activeService, previewService, previewReplicaCount } = of
  return {
    activeService,
    ...(previewService === undefined ? {} : { previewService }),
    ...(previewReplicaCount === undefined ? {} : { previewReplicaCount }),
    autoPromotionEnabled: of.autoPromotionEnabled ?? previewService === undefined,
    autoPromotionSeconds: of.autoPromotionSeconds ?? 0,
    maxUnavailable: of.maxUnavailable ?? 0,
  }
}
