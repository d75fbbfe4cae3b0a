import type { Arm } from '../window-data.ts'
import type { ArmPodView, ArmPodViews } from './poll.ts'

/** The most pods of each arm that providers are asked about. */
export const MAX_PODS = 64

/**
 * Since when a pod counts. A pod of the fork or of the twin counts once it was Ready for `warmUpMs`: the twin is as new
 * as the fork, and cold pods of the twin would hide harm. A pod of the source counts while it is Ready and was created
 * at least `warmUpMs` ago. Infinity: it is not Ready.
 */
function warmSince({ createdMs, readySinceMs }: ArmPodView, isOfSource: boolean, warmUpMs: number): number {
  if (readySinceMs === undefined) return Number.POSITIVE_INFINITY
  return isOfSource ? Math.max(createdMs + warmUpMs, readySinceMs) : readySinceMs + warmUpMs
}

/** Whether the pods of an arm are those of the source. If `source` is present, the control is the twin. */
const isOfSource = (arm: Arm, { source }: ArmPodViews): boolean => arm === 'control' && source === undefined

/** The pods of both arms that count in a window that begins at `startMs`. */
export const countingPods = (arms: ArmPodViews, startMs: number, warmUpSeconds: number): ArmPodViews => {
  const counting = (arm: Arm) =>
    arms[arm].filter((pod) => warmSince(pod, isOfSource(arm, arms), 1_000 * warmUpSeconds) <= startMs)
  return { treatment: counting('treatment'), control: counting('control') }
}

/** The first moment when both arms have a pod that counts, in milliseconds since 1970; Infinity: one has none. */
export const firstCounting = (arms: ArmPodViews, warmUpSeconds: number): number => {
  const first = (arm: Arm) =>
    Math.min(...arms[arm].map((pod) => warmSince(pod, isOfSource(arm, arms), 1_000 * warmUpSeconds)))
  return Math.max(first('treatment'), first('control'))
}
