import type { Amount } from '../api/amount.ts'
import { MAX_PAUSE_SECONDS, type RunPath } from '../api/strategy.ts'
import { duration } from '../text/duration.ts'
import { pauseSeconds } from './pause.ts'
import type { BlueGreenSpec, StrategyRunSpec } from './run-spec.ts'

/** One step of a run: a state that can be reached again and again. */
export type RunStep =
  /** `field`: where the user wrote it */
  | { readonly is: 'setWeight'; readonly weight: number; readonly field: string }
  /** as many pods as `maxSurge` allows */
  | { readonly is: 'surge' }
  /** as many pods as `spec.replicas` says */
  | { readonly is: 'replicas' }
  /**
   * this many pods, all shut; without `pods` as many as the source has, or as a preview should have. `field`: where the
   * user asks for them
   */
  | { readonly is: 'size'; readonly pods?: number; readonly isPreview?: true; readonly field: string }
  /** the Service sends to the pods of the fork, also to shut ones */
  | { readonly is: 'preview'; readonly service: string }
  /** as many pods as the source has, all open; then the Service sends to them only */
  | { readonly is: 'cutOver'; readonly service: string }
  /** without `seconds` until somebody resumes */
  | { readonly is: 'pause'; readonly seconds?: number }
  /** until the analysis has a verdict */
  | { readonly is: 'analysis' }
  /** until somebody promotes */
  | { readonly is: 'await' }
  /** the source gets what the override says */
  | { readonly is: 'promote' }
  /** the source has all of its pods again, and the fork none */
  | { readonly is: 'refill' }
  /** the fork is kept for a while after the promotion */
  | { readonly is: 'drain'; readonly seconds: number }
  /** the source gets back its former values */
  | { readonly is: 'restore' }
  /** none of these Services is limited to the fork */
  | { readonly is: 'return'; readonly services: readonly string[] }
  /** no pod is open */
  | { readonly is: 'shut' }
  /** no pods */
  | { readonly is: 'remove' }

/** The steps of a run: the steps of the user, and what follows them; or a way back. */
export function compileSteps(spec: StrategyRunSpec, path: RunPath): readonly RunStep[] {
  // Every blue-green has this step. It does nothing if no Service was changed.
  const back: readonly RunStep[] = spec.blueGreen ? [{ is: 'return', services: servicesOf(spec.blueGreen) }] : []
  if (path === 'Abort') return [...back, ...(spec.isGated ? quarantine(spec) : [{ is: 'remove' } as const])]
  if (path === 'Undo') return [{ is: 'restore' }, ...back, { is: 'remove' }]
  const steps = spec.blueGreen ? blueGreenSteps(spec.blueGreen, spec) : ownSteps(spec)
  return [
    ...steps,
    ...(isVerdictMissing(spec, steps) ? [{ is: 'analysis' } as const] : []),
    ...(spec.mode === 'Manual' ? [{ is: 'await' } as const] : []),
    { is: 'promote' },
    ...(spec.isInsideSource ? [{ is: 'refill' } as const] : []),
    ...back,
    { is: 'drain', seconds: spec.scaleDownDelaySeconds },
  ]
}

/** Nobody looks before an automatic promotion, so it waits for the verdict. */
const isVerdictMissing = ({ isAnalyzed, mode }: StrategyRunSpec, steps: readonly RunStep[]): boolean =>
  isAnalyzed && mode === 'Automatic' && !steps.some(({ is }) => is === 'analysis')

const servicesOf = ({ activeService, previewService }: BlueGreenSpec): readonly string[] =>
  previewService === undefined ? [activeService] : [activeService, previewService]

/** The pods of an aborted fork that is gated stay for inspection, without requests. */
function quarantine({ abortScaleDownDelaySeconds: seconds }: StrategyRunSpec): readonly RunStep[] {
  const pause: RunStep = seconds === 0 ? { is: 'pause' } : { is: 'pause', seconds }
  return [{ is: 'shut' }, pause, { is: 'remove' }]
}

/** The fork is previewed while it gets no other requests, then gets all, and is watched for a while. */
function blueGreenSteps(blueGreen: BlueGreenSpec, { scaleDownDelaySeconds }: StrategyRunSpec): readonly RunStep[] {
  const { activeService, previewService, previewReplicaCount: pods } = blueGreen
  const size = { is: 'size', field: 'spec.strategy.blueGreen' } as const
  return [
    pods === undefined
      ? { ...size, isPreview: true }
      : { is: 'size', pods, field: 'spec.strategy.blueGreen.previewReplicaCount' },
    ...(previewService === undefined ? [] : [{ is: 'preview', service: previewService } as const]),
    ...(blueGreen.autoPromotionEnabled ? pauseOf(blueGreen.autoPromotionSeconds) : [{ is: 'pause' } as const]),
    size,
    { is: 'cutOver', service: activeService },
    ...pauseOf(scaleDownDelaySeconds),
  ]
}

const pauseOf = (seconds: number): readonly RunStep[] => (seconds === 0 ? [] : [{ is: 'pause', seconds }])

function ownSteps({ steps, isCanary }: StrategyRunSpec): readonly RunStep[] {
  if (!isCanary) return [{ is: 'replicas' }]
  if (steps.length === 0) return [{ is: 'surge' }]
  return steps.flatMap(({ setWeight, pause, analysis }, index): readonly RunStep[] => {
    if (analysis !== undefined) return [{ is: 'analysis' }]
    if (setWeight === undefined) return [pauseStep(pause?.duration)]
    // a weight of 100 is the promotion itself, which follows the last step
    return setWeight >= 100 ? [] : [{ is: 'setWeight', weight: setWeight, field: fieldOf(index) }]
  })
}

const fieldOf = (index: number): string => `spec.strategy.canary.steps[${index}].setWeight`

/** A text that is no duration has a mistake that admission refuses. It counts as the longest pause. */
const pauseStep = (duration: Amount | undefined): RunStep =>
  duration === undefined ? { is: 'pause' } : { is: 'pause', seconds: pauseSeconds(duration) ?? MAX_PAUSE_SECONDS }

/** `setWeight 20%`, `pause 1h`, `pause`. */
export function nameOfStep(step: RunStep): string {
  switch (step.is) {
    case 'setWeight':
      return `setWeight ${step.weight}%`
    case 'surge':
      return 'maxSurge'
    case 'size':
      return step.pods === undefined ? 'size' : `size ${step.pods}`
    case 'pause':
      return step.seconds === undefined ? 'pause' : `pause ${duration(step.seconds)}`
    case 'drain':
      return `drain ${duration(step.seconds)}`
    default:
      return step.is
  }
}
