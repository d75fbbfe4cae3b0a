import type { Arm } from '../window-data.ts'
import type { SeenArms, SeenPod } from './poll.ts'

/** Of each arm at most so many pods are asked about. From section 3 of the specification of analyses. */
export const MAX_PODS = 64

/**
 * Since when a pod can count: it was Ready for `warmUpMs`. A pod of the control is Ready, and was created so long
 * before. Infinity: it is not Ready.
 */
function warmSince({ createdMs, readySinceMs }: SeenPod, arm: Arm, warmUpMs: number): number {
  if (readySinceMs === undefined) return Number.POSITIVE_INFINITY
  return arm === 'treatment' ? readySinceMs + warmUpMs : Math.max(createdMs + warmUpMs, readySinceMs)
}

/** The pods of both arms that count in a window that begins at `startMs`. */
export const countingPods = (arms: SeenArms, startMs: number, warmUpSeconds: number): SeenArms => {
  const counting = (arm: Arm) => arms[arm].filter((pod) => warmSince(pod, arm, 1_000 * warmUpSeconds) <= startMs)
  return { treatment: counting('treatment'), control: counting('control') }
}

/** The arms by which the twin is compared with the source. Undefined where there is no twin. */
export const twinArms = ({ control, source }: SeenArms): SeenArms | undefined =>
  source && { treatment: control, control: source }

/** The first moment when both arms have a pod that counts, in milliseconds since 1970; Infinity: one has none. */
export const firstCounting = (arms: SeenArms, warmUpSeconds: number): number => {
  const first = (arm: Arm) => Math.min(...arms[arm].map((pod) => warmSince(pod, arm, 1_000 * warmUpSeconds)))
  return Math.max(first('treatment'), first('control'))
}
