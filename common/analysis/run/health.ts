import { keyOfPod } from '../metrics/pod-bins.ts'
import { joinLists, splitLists } from '../metrics/state-lists.ts'
import type { TimeWindow } from '../query/window-query.ts'
import type { EventCounts, WindowData } from '../window-data.ts'
import type { ArmPodView, ArmPodViews } from './poll.ts'

/**
 * What a Health metric remembers: the restarts of each pod at the last look, as pairs of a hash of its uid and a
 * number, and then the numbers of its engine.
 */
interface HealthMemory {
  readonly restarts: ReadonlyMap<number, number>
  readonly engine: readonly number[]
}

/** The memory in the state of the metric. It is empty before the first window. */
export function healthMemory(state: readonly number[]): HealthMemory {
  const [pairs = [], engine = []] = splitLists(state)
  const restarts = new Map<number, number>()
  for (let at = 0; at + 1 < pairs.length; at += 2) restarts.set(pairs[at] ?? 0, pairs[at + 1] ?? 0)
  return { restarts, engine }
}

/** The state of the metric after a look that saw `arms`. */
export const healthState = (arms: ArmPodViews, engine: readonly number[]): readonly number[] =>
  joinLists(
    [...arms.treatment, ...arms.control].flatMap((pod) => [keyOfPod(pod.uid), pod.restarts]),
    engine,
  )

/** `state` without the restarts of pods. Restarts while no look was made then do not count. */
export const withoutRestarts = (state: readonly number[]): readonly number[] =>
  state.length === 0 ? state : joinLists([], healthMemory(state).engine)

/**
 * The restarts of containers in a window, and for how many seconds each pod was Ready in it. A pod that restarts counts
 * for the whole window, although it was not Ready for a part of it: if the time depended on the restarts, two equal
 * versions would fail far too often. So a fork that never works is never quiet either. If a pod was created in the
 * window, all of its restarts count. If an older pod is not in the memory, its restarts are not known and count as 0.
 */
export function restartsIn(arms: ArmPodViews, { start, end }: TimeWindow, { restarts }: HealthMemory): WindowData {
  const ofPod = ({ name, uid, createdMs, readySinceMs, restarts: now }: ArmPodView): EventCounts => {
    const events = Math.max(0, now - (restarts.get(keyOfPod(uid)) ?? (createdMs < start ? now : 0)))
    const sinceMs = events > 0 ? createdMs : (readySinceMs ?? end)
    return { pod: name, events, exposure: Math.max(0, end - Math.max(start, sinceMs)) / 1_000 }
  }
  return { is: 'events', treatment: arms.treatment.map(ofPod), control: arms.control.map(ofPod) }
}
