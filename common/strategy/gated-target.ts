import type { Step } from './compile.ts'
import type { GatedPod, GateTarget } from './gate.ts'
import { type Sizes, sizingStep, type Target, targetOf } from './target.ts'

/** How many pods a step wants of a gated fork, and how many of them open. */
export interface GatedTarget extends Target {
  readonly open: number
}

/**
 * What the step at `index` wants of a gated fork. As many pods are open as the last weight says, or as a promotion
 * needs; none before the first weight, at weight 0 and in an abort. At least `spec.replicas` pods run, however many are
 * open, until the fork is removed.
 */
export function gatedTargetOf(steps: readonly Step[], index: number, sizes: Sizes): GatedTarget {
  const opened = targetOf(steps, index, { ...sizes, replicas: 0 })
  const isRemoved = sizingStep(steps, index)?.is === 'remove'
  return { ...opened, pods: isRemoved ? 0 : Math.max(sizes.replicas, opened.pods), open: opened.pods }
}

/**
 * How many pods a gated fork gets now. While a pod of a former revision is left, only those that shall be open: pods
 * that are shut are not ready and use up what an update may take, so that it would never end. Without open pods these
 * are none; the fork has all of its pods again when the former ones are gone.
 */
export const podsNow = (pods: readonly GatedPod[], target: GatedTarget, { revision }: Pick<GateTarget, 'revision'>) =>
  pods.some((pod) => pod.revision !== revision && !pod.isBeingDeleted)
    ? Math.min(target.pods, target.open)
    : target.pods
