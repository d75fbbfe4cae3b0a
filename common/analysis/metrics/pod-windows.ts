import type { Arm, OfPod } from '../window-data.ts'

/** How many pods each arm had, summed over all windows; 0 where the data do not name pods. */
export type PodWindows = Readonly<Record<Arm, number>>

const namedIn = (counts: readonly OfPod[]): number => counts.filter(({ pod }) => pod !== undefined).length

/** The sums with one more window. */
export const withPodWindows = (
  { treatment, control }: PodWindows,
  window: Readonly<Record<Arm, readonly OfPod[]>>,
): PodWindows => ({
  treatment: treatment + namedIn(window.treatment),
  control: control + namedIn(window.control),
})

/** How many requests a pod of each arm had in a window, on average; undefined where the data do not name pods. */
export const requestsPerPod = (requests: Readonly<Record<Arm, number>>, pods: PodWindows): PodWindows | undefined =>
  pods.treatment > 0 && pods.control > 0
    ? { treatment: requests.treatment / pods.treatment, control: requests.control / pods.control }
    : undefined
