import { added } from './mixture.ts'
import { ranksOfBuckets } from './ranks.ts'

/** What is compared: ranks, or the part of the requests above the bin of this index. */
export type Compared = { readonly by: 'ranks' } | { readonly by: 'share'; readonly above: number }

/** How the treatment's pods compare with other groups of pods. */
export interface PodsCompared {
  /** of the treatment against all others */
  readonly score: number
  /** how many groups of this size were compared, the treatment included */
  readonly groups: number
  /** how many other groups have a score that is not below that of the treatment */
  readonly outer: number
}

/** The most groups that are compared. */
const MOST_GROUPS = 200

/**
 * No test of requests can distinguish a slow pod from a slow version. So the treatment is compared with other groups of
 * as many pods. `bins`: requests by pod and bin, the `treatment` pods first. `random`: numbers in [0, 1), which are
 * equal for equal subjects. Undefined if the treatment has no pods or all of them.
 */
export function comparePods(
  bins: readonly (readonly number[])[],
  treatment: number,
  compared: Compared,
  random: () => number,
): PodsCompared | undefined {
  if (treatment < 1 || treatment >= bins.length) return undefined
  const all = bins.reduce(added)
  const scoreOf = (group: readonly number[]) => {
    const own = group.map((index) => bins[index] ?? []).reduce(added)
    return score(
      own,
      all.map((count, index) => count - (own[index] ?? 0)),
      compared,
    )
  }
  const first = Array.from({ length: treatment }, (_, index) => index)
  const own = scoreOf(first)
  const groups = groupsOf(bins.length, treatment, random)
  const others = groups.filter((group) => group.some((index) => index >= treatment))
  return { score: own, groups: others.length + 1, outer: others.filter((group) => scoreOf(group) >= own).length }
}

function score(own: readonly number[], others: readonly number[], compared: Compared): number {
  if (compared.by === 'share') return shareAbove(own, compared.above) - shareAbove(others, compared.above)
  const { u, a, b } = ranksOfBuckets(own, others)
  return u / (a * b)
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)
const shareAbove = (counts: readonly number[], index: number): number => total(counts.slice(index + 1)) / total(counts)

/** All groups of `size` of `count` pods, or random ones if there are too many. */
function groupsOf(count: number, size: number, random: () => number): readonly (readonly number[])[] {
  if (groupCount(count, size) <= MOST_GROUPS) return combinations(count, size)
  return Array.from({ length: MOST_GROUPS }, () => drawn(count, size, random))
}

function groupCount(count: number, size: number): number {
  let groups = 1
  for (let i = 1; i <= size; i += 1) groups = (groups * (count - size + i)) / i
  return Math.round(groups)
}

function combinations(count: number, size: number, from = 0): readonly (readonly number[])[] {
  if (size === 0) return [[]]
  const found: (readonly number[])[] = []
  for (let index = from; index <= count - size; index += 1)
    for (const rest of combinations(count, size - 1, index + 1)) found.push([index, ...rest])
  return found
}

/** `size` of `count` pods, each as likely as any other. */
function drawn(count: number, size: number, random: () => number): readonly number[] {
  const left = Array.from({ length: count }, (_, index) => index)
  return Array.from({ length: size }, () => left.splice(Math.floor(random() * left.length), 1)[0] ?? 0)
}
