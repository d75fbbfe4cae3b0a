import { chunksOf } from '../engine/sums.ts'
import { keyOfPod } from '../metrics/places.ts'
import { joinLists, splitLists } from '../metrics/state-lists.ts'
import type { TimeWindow } from '../query/window-query.ts'
import type { EventCounts, WindowData } from '../window-data.ts'
import type { ArmPodView, ArmPodViews } from './poll.ts'

/** What a Health metric remembers of a pod. Times are milliseconds since 1970. */
interface PodMemory {
  readonly restarts: number
  /** since when the pod was Ready at the last look; 0: it was not */
  readonly readySinceMs: number
  /** when a restart last counted as an event; 0: never */
  readonly eventMs: number
  /** the restarts of the loop in which the pod is, and when the first of them was seen; 0: it is in none */
  readonly loop: number
  readonly loopSinceMs: number
}

/** What a Health metric remembers: of each pod by the hash of its uid, and then the numbers of its engine. */
interface HealthMemory {
  readonly pods: ReadonlyMap<number, PodMemory>
  /** whether a pod of the control was in a crash loop */
  readonly didControlLoop: boolean
  readonly engine: readonly number[]
}

/** The memory in the numbers of the metric. It is empty before the first window. */
export function healthMemory(numbers: readonly number[]): HealthMemory {
  const [pods = [], [looped = 0] = [], engine = []] = splitLists(numbers)
  return {
    pods: new Map(
      chunksOf(pods, 6).map(([key = 0, restarts = 0, readySinceMs = 0, eventMs = 0, loop = 0, loopSinceMs = 0]) => [
        key,
        { restarts, readySinceMs, eventMs, loop, loopSinceMs },
      ]),
    ),
    didControlLoop: looped === 1,
    engine,
  }
}

/** The numbers of a memory. */
export const healthNumbers = ({ pods, didControlLoop, engine }: HealthMemory): readonly number[] =>
  joinLists(
    [...pods].flatMap(([key, { restarts, readySinceMs, eventMs, loop, loopSinceMs }]) => [
      ...[key, restarts, readySinceMs, eventMs, loop, loopSinceMs],
    ]),
    [Number(didControlLoop)],
    engine,
  )

/** `numbers` without what is known of pods. Restarts while no look was made then do not count. */
export const withoutRestarts = (numbers: readonly number[]): readonly number[] =>
  numbers.length === 0 ? numbers : healthNumbers({ ...healthMemory(numbers), pods: new Map() })

/** Restarts of a pod within this time are one event, as those of a crash loop are. */
const ONE_EVENT_MS = 600_000
/** A pod that was Ready for so long is not in a loop any more. */
const SETTLED_MS = 60_000
/** The reason of a fork with a pod in a crash loop: that is harm by itself, whatever its other pods do. */
export const CRASH_LOOPS = 'CrashLoops'
/** A loop of so many restarts is a crash loop, and so is one that has lasted for so long at its last restart. */
const [CRASHES, CRASHING_MS] = [5, 600_000]

/** A look at the pods: their restarts since the last one, and what is known of them now. */
interface HealthLook extends Omit<HealthMemory, 'engine'> {
  readonly data: WindowData
  /** whether a pod of the treatment is in a crash loop, while none of the control ever was */
  readonly isCrashLooping: boolean
}

/**
 * The restarts of containers in a window, and for how many seconds each pod was Ready in it. A pod that restarts counts
 * for the whole window, although it was not Ready for a part of it: if the time depended on the restarts, two equal
 * versions would fail far too often. So a fork that never works is never quiet either. If a pod was created in the
 * window, all of its restarts count. If an older pod is not in the memory, its restarts are not known and count as 0.
 */
export function healthLook(arms: ArmPodViews, window: TimeWindow, memory: Omit<HealthMemory, 'engine'>): HealthLook {
  const arm = (views: ArmPodViews['control']) => views.map((view) => podLook(view, window, memory.pods))
  const [treatment, control] = [arm(arms.treatment), arm(arms.control)]
  const didControlLoop = memory.didControlLoop || control.some(({ isCrashLooping }) => isCrashLooping)
  return {
    data: {
      is: 'events',
      treatment: treatment.map(({ counts }) => counts),
      control: control.map(({ counts }) => counts),
    },
    pods: new Map([...treatment, ...control].map(({ key, known }) => [key, known])),
    didControlLoop,
    isCrashLooping: !didControlLoop && treatment.some(({ isCrashLooping }) => isCrashLooping),
  }
}

function podLook(
  { name, uid, createdMs, readySinceMs, restarts: now }: ArmPodView,
  { start, end }: TimeWindow,
  pods: HealthMemory['pods'],
) {
  const key = keyOfPod(uid)
  const { restarts, eventMs, ...former } = pods.get(key) ?? {
    ...{ restarts: createdMs < start ? now : 0, readySinceMs: 0, eventMs: 0, loop: 0, loopSinceMs: 0 },
  }
  const grown = Math.max(0, now - restarts)
  const isEvent = grown > 0 && (eventMs === 0 || end - eventMs >= ONE_EVENT_MS)
  const { loop, loopSinceMs } = loopAfter(former, { grown, readySinceMs, start: Math.max(start, createdMs), end })
  const sinceMs = grown > 0 ? createdMs : (readySinceMs ?? end)
  const counts: EventCounts = {
    ...{ pod: name, events: Number(isEvent), exposure: Math.max(0, end - Math.max(start, sinceMs)) / 1_000 },
    ...(!isEvent && (grown > 0 || loop > 0) ? { isDisturbed: true } : {}),
  }
  const known = { restarts: now, readySinceMs: readySinceMs ?? 0, eventMs: isEvent ? end : eventMs, loop, loopSinceMs }
  const isCrashLooping = loop >= CRASHES || (grown > 0 && loop > 1 && end - loopSinceMs >= CRASHING_MS)
  return { key, counts, known, isCrashLooping }
}

interface LoopInput extends TimeWindow {
  /** the restarts in the window */
  readonly grown: number
  readonly readySinceMs: number | undefined
}

/**
 * The loop in which a pod is after a window. Only those restarts count as one loop between which it cannot have been
 * Ready for a minute: what happened between two looks is not known.
 */
function loopAfter(
  former: Pick<PodMemory, 'readySinceMs' | 'loop' | 'loopSinceMs'>,
  { grown, readySinceMs, start, end }: LoopInput,
): Pick<PodMemory, 'loop' | 'loopSinceMs'> {
  // a restart can be so short that the pod stays Ready
  const calmSinceMs = grown > 0 ? Math.max(start, readySinceMs ?? end) : (readySinceMs ?? end)
  const isSettled = end - calmSinceMs >= SETTLED_MS
  const none = { loop: 0, loopSinceMs: 0 }
  if (grown === 0) return isSettled ? none : former
  const readyMs = former.readySinceMs === 0 ? 0 : Math.min(readySinceMs ?? end, end) - former.readySinceMs
  const goesOn = former.loop > 0 && readyMs < SETTLED_MS
  const sure = Math.max(1, grown - Math.floor((end - start) / SETTLED_MS))
  const begun = goesOn ? former : { loop: 0, loopSinceMs: end }
  return isSettled ? none : { loop: begun.loop + sure, loopSinceMs: begun.loopSinceMs }
}
