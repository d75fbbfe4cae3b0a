import type { Arm } from '../window-data.ts'
import type { ArmPodView, ArmPodViews } from './poll.ts'

/** Of each arm at most so many pods are asked about. */
export const MAX_PODS = 64

/**
 * Since when a pod can count: it was Ready for `warmUpMs`. A pod of the source is Ready, and was created so long
 * before. The twin is as new as the fork, so it warms up like the fork: cold pods would look worse than they are, and
 * hide harm. Infinity: it is not Ready.
 */
function warmSince({ createdMs, readySinceMs }: ArmPodView, isOfSource: boolean, warmUpMs: number): number {
  if (readySinceMs === undefined) return Number.POSITIVE_INFINITY
  return isOfSource ? Math.max(createdMs + warmUpMs, readySinceMs) : readySinceMs + warmUpMs
}

/** Where the pods of the source are known beside those of the control, that is the twin. */
const isOfSource = (arm: Arm, { source }: ArmPodViews): boolean => arm === 'control' && source === undefined

/** The pods of both arms that count in a window that begins at `startMs`. */
export const countingPods = (arms: ArmPodViews, startMs: number, warmUpSeconds: number): ArmPodViews => {
  const counting = (arm: Arm) =>
    arms[arm].filter((pod) => warmSince(pod, isOfSource(arm, arms), 1_000 * warmUpSeconds) <= startMs)
  return { treatment: counting('treatment'), control: counting('control') }
}

/** The arms by which the twin is compared with the source. Undefined where there is no twin. */
export const twinArms = ({ control, source }: ArmPodViews): ArmPodViews | undefined =>
  source && { treatment: control, control: source }

/** The first moment when both arms have a pod that counts, in milliseconds since 1970; Infinity: one has none. */
export const firstCounting = (arms: ArmPodViews, warmUpSeconds: number): number => {
  const first = (arm: Arm) =>
    Math.min(...arms[arm].map((pod) => warmSince(pod, isOfSource(arm, arms), 1_000 * warmUpSeconds)))
  return Math.max(first('treatment'), first('control'))
}
