import { added, zeros } from '../engine/mixture.ts'
import { type Compared, comparePods, type PodsCompared } from '../engine/pods.ts'
import { fnv1a, seeded } from '../engine/random.ts'
import type { Arm } from '../window-data.ts'

/** The requests of one pod, by bin. */
interface PodBins {
  readonly pod: string
  readonly bins: readonly number[]
}

/** The requests of the pods of both arms. */
export type ArmsOfPods = Readonly<Record<Arm, readonly PodBins[]>>

/** The most pods of each arm whose requests are kept: those with the most requests. */
const KEPT: Readonly<Record<Arm, number>> = { treatment: 8, control: 16 }
/** Pods with fewer requests are not compared. */
const LEAST_REQUESTS = 20
const ARMS = ['treatment', 'control'] as const

interface Kept {
  readonly arm: Arm
  readonly key: number
  readonly bins: readonly number[]
}

/** A number for the name of a pod that JSON keeps: 53 bits of a hash (FNV-1a, twice with other seeds). */
export const keyOfPod = (pod: string): number => fnv1a(pod) * 2 ** 21 + (fnv1a(pod, 0x050c5d1f) >>> 11)

const total = ({ bins }: Pick<Kept, 'bins'>): number => bins.reduce((sum, count) => sum + count, 0)

/** As one list: for each pod its arm, its key and its bins. */
const savedPods = (pods: readonly Kept[]): readonly number[] =>
  pods.flatMap(({ arm, key, bins }) => [ARMS.indexOf(arm), key, ...bins])

function loadedPods(list: readonly number[], width: number): readonly Kept[] {
  const pods: Kept[] = []
  for (let at = 0; at < list.length; at += width + 2) {
    const [arm = 0, key = 0, ...bins] = list.slice(at, at + width + 2)
    pods.push({ arm: ARMS[arm] ?? 'control', key, bins })
  }
  return pods
}

/** The kept requests, with those of one more window. `width`: how many bins there are. */
export function withPods(list: readonly number[], window: ArmsOfPods, width: number): readonly number[] {
  const pods = new Map(loadedPods(list, width).map((pod) => [`${pod.arm} ${pod.key}`, pod]))
  for (const arm of ARMS)
    for (const { pod, bins } of window[arm]) {
      const key = keyOfPod(pod)
      const before = pods.get(`${arm} ${key}`)?.bins ?? zeros(width)
      pods.set(`${arm} ${key}`, { arm, key, bins: added(before, bins) })
    }
  const kept = ARMS.flatMap((arm) =>
    [...pods.values()]
      .filter((pod) => pod.arm === arm)
      .toSorted((one, other) => total(other) - total(one))
      .slice(0, KEPT[arm]),
  )
  return savedPods(kept)
}

/**
 * How the pods of the treatment compare with other groups of as many. Undefined if the treatment has no pod with enough
 * requests, or the control fewer than two: then there is nothing to compare. `subject`: decides which groups are drawn.
 */
export function comparedPods(
  list: readonly number[],
  width: number,
  compared: Compared,
  subject: string,
): PodsCompared | undefined {
  const pods = loadedPods(list, width).filter((pod) => total(pod) >= LEAST_REQUESTS)
  const [own, others] = ARMS.map((arm) => pods.filter((pod) => pod.arm === arm))
  if (!own || !others || own.length === 0 || others.length < 2) return undefined
  return comparePods(
    [...own, ...others].map(({ bins }) => bins),
    own.length,
    compared,
    seeded(fnv1a(subject)),
  )
}
