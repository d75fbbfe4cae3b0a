import type { Arm, EventCounts, OfPod } from '../window-data.ts'

/** The requests of a pod of each arm, on average in each window, and summed over all; 0 where the data name no pods. */
export type PerPod = Readonly<Record<Arm, number>>

/** Before the first window. */
export const NO_REQUESTS: PerPod = { treatment: 0, control: 0 }

/** What both arms have counted. */
export type ArmCounts<T> = Readonly<Record<Arm, readonly T[]>>

/** What a pod has counted, in requests. */
type RequestsOf<T> = (counts: T) => number

/** The counts of those pods that had requests: an idle one says nothing, and is no pod to compare with. */
export const busyIn = <T>({ treatment, control }: ArmCounts<T>, requestsOf: RequestsOf<T>): ArmCounts<T> => {
  const busy = (counts: readonly T[]) => counts.filter((each) => requestsOf(each) > 0)
  return { treatment: busy(treatment), control: busy(control) }
}

/** How many requests a pod with a name had that had any; 0: there is none. */
function meanOf<T extends OfPod>(counts: readonly T[], requestsOf: RequestsOf<T>): number {
  const named = counts.flatMap((each) => (each.pod === undefined ? [] : [requestsOf(each)])).filter((each) => each > 0)
  return named.length === 0 ? 0 : named.reduce((sum, each) => sum + each, 0) / named.length
}

/**
 * The sums with one more window of both arms. As both are of the same windows, it does not matter how many pods each
 * had then: where the pods of both always get as many requests, the sums are equal.
 */
export function withPerPod<T extends OfPod>(sums: PerPod, window: ArmCounts<T>, requestsOf: RequestsOf<T>): PerPod {
  const [own, others] = [meanOf(window.treatment, requestsOf), meanOf(window.control, requestsOf)]
  if (own === 0 || others === 0) return sums
  return { treatment: sums.treatment + own, control: sums.control + others }
}

/** The sums; undefined where the data do not name pods. */
export const knownPerPod = (sums: PerPod): PerPod | undefined =>
  sums.treatment > 0 && sums.control > 0 ? sums : undefined

/**
 * What the treatment has counted in a window, of which each pod had at least as many requests as usual: as in `former`
 * windows, beside those of a pod of the control now. A pod whose requests fail often completes fewer of them, because
 * clients wait for it. With those alone, its outages would weigh more than what they are compared with.
 */
export function withUsualRequests(
  { treatment, control }: ArmCounts<EventCounts>,
  former: PerPod,
): readonly EventCounts[] {
  if (!knownPerPod(former)) return treatment
  const usual = (meanOf(control, ({ exposure }) => exposure) * former.treatment) / former.control
  return treatment.map((counts) =>
    counts.pod !== undefined && counts.exposure > 0
      ? { ...counts, exposure: Math.max(counts.exposure, usual) }
      : counts,
  )
}
