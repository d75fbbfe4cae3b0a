import type { SizeBounds, SizePair } from './sizes.ts'

/** The pods of a fork or of its source, as they are now. */
export interface Side {
  /** `spec.replicas` */
  readonly replicas: number
  /** the pods that a quota counts: also those that are ending, and those that are not created yet */
  readonly counted: number
  /** the pods that are ready, whether or not they are available already */
  readonly ready: number
  /** the pods that are available, and that every Service lists which selects them */
  readonly available: number
}

/** One of both. */
export type SideName = keyof SizePair

/** Both. */
export type Sides = Readonly<Record<SideName, Side>>

/** What a move does next. `pods`: it waits until pods are available, or gone. `listing`: until nodes know them. */
export type Move =
  | { readonly is: 'reached' }
  | { readonly is: 'resize'; readonly side: SideName; readonly to: number }
  | { readonly is: 'wait'; readonly for: 'pods' | 'listing' }

const OTHER = { fork: 'source', source: 'fork' } as const

interface Moved {
  readonly goal: SizePair
  readonly sides: Sides
  readonly bounds: SizeBounds
  /** whether the nodes have followed the lists of the Services as they are now */
  readonly isListed: boolean
}

/**
 * One step on the way to `goal`: the size that one side gets next. Pods of the fork that are not ready serve nobody, so
 * the fork gives these up first. Then a side grows as far as `bounds` allow, and only then the other side gives up as
 * many as are available beyond what is needed. Pods of a side that are ready and not available yet may be among those
 * that Kubernetes takes, so only pods that are not ready go for nothing.
 */
export function nextMove({ goal, sides, bounds, isListed }: Moved): Move {
  const idle = idlePods(sides.fork)
  const toLose = sides.fork.replicas - goal.fork
  if (toLose > 0 && idle > 0) return { is: 'resize', side: 'fork', to: sides.fork.replicas - Math.min(idle, toLose) }
  const growing = grownSide(goal, sides, bounds)
  if (growing) return growing
  const smaller = (['fork', 'source'] as const).find((side) => sides[side].replicas > goal[side])
  if (smaller === undefined) return isReached(goal, sides) ? { is: 'reached' } : { is: 'wait', for: 'pods' }
  const { replicas } = sides[smaller]
  const to = Math.max(goal[smaller], replicas - sparePods(smaller, sides, bounds))
  if (to === replicas) return { is: 'wait', for: 'pods' }
  return isListed ? { is: 'resize', side: smaller, to } : { is: 'wait', for: 'listing' }
}

const idlePods = ({ replicas, ready }: Side): number => Math.max(0, replicas - ready)

/** The growth of a side that is below its goal, as far as the bounds allow; undefined if none can grow now. */
function grownSide(goal: SizePair, sides: Sides, { most }: SizeBounds): Move | undefined {
  const room = most - sides.fork.counted - sides.source.counted
  const side = (['source', 'fork'] as const).find((each) => sides[each].replicas < goal[each])
  if (side === undefined || room <= 0) return undefined
  return { is: 'resize', side, to: Math.min(goal[side], sides[side].replicas + room) }
}

/** How many pods a side can give up now, so that `least` are available afterwards. */
function sparePods(side: SideName, sides: Sides, { least }: SizeBounds): number {
  const beyond = sides[side].available + sides[OTHER[side]].available - least
  return idlePods(sides[side]) + Math.max(0, Math.min(beyond, sides[side].available))
}

/** Whether both sides have just the pods that the goal says, and all of these are available. */
const isReached = (goal: SizePair, sides: Sides): boolean =>
  (['fork', 'source'] as const).every((side) => sides[side].available >= goal[side])
