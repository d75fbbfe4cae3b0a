import { type Amount, roundedUp } from '../api/amount.ts'
import { MAX_REPLICAS } from '../api/defaults.ts'
import { insideAtPromotion, insideAtWeight, type OwnRollout, type SizeBounds, type SizePair } from '../scaling/sizes.ts'
import type { RunStep } from './compile.ts'
import type { GatedPod, GateTarget } from './gate.ts'
import { podsFor } from './weight.ts'

/** The numbers on which a target depends. */
export interface Sizes {
  /** `spec.replicas` of the source */
  readonly source: number
  /** the pods of a blue-green before its cut-over, if the strategy has no number for them */
  readonly preview: number
  /** `spec.replicas` of the experiment: its pods where no weight decides; of a gated fork, all that run */
  readonly replicas: number
  readonly maxSurge: Amount
  /** the pods of the fork that a promotion needs, so that enough pods serve meanwhile */
  readonly reserve: number
  /** whether only opened pods get requests */
  readonly isGated: boolean
  /** for a source that gets smaller as its fork grows; absent: it keeps its size */
  readonly inside?: { readonly bounds: SizeBounds; readonly rollout: OwnRollout } | undefined
}

/** How many pods a step wants, and how many of them get requests. */
export interface PodTarget {
  readonly pods: number
  /** the same as `pods`, if the fork is not gated */
  readonly open: number
  /** the weight that decides, if one does */
  readonly weight?: number
  /** the pods that the weight needs, if `maxSurge` does not allow them */
  readonly needed?: number
  /** how many pods the source should have; absent: it keeps its size */
  readonly source?: number
  /** the weight that routes should have; absent: the run has no routes */
  readonly routed?: number
  /** what `pods` and `source` become, if they are on their way; absent: `pods` is the goal */
  readonly goal?: SizePair
}

/** The most pods that a fork may have beside `source` pods. */
export const surgeLimit = ({ maxSurge, source }: Pick<Sizes, 'maxSurge' | 'source'>): number =>
  Math.min(MAX_REPLICAS, roundedUp(maxSurge, source) ?? source)

/** The pods that serve instead of those that the source's own rollout takes down. */
export const reservedPods = (sizes: Sizes): number => Math.min(sizes.reserve, surgeLimit(sizes))

/** The step that decides the pods at the step at `index`: the last one until there that says a number. */
export const sizingStep = (steps: readonly RunStep[], index: number): RunStep | undefined =>
  steps.slice(0, index + 1).findLast(({ is }) => SIZING.has(is))

/**
 * What the step at `index` wants: the last step before it that says a number, or else `replicas`. Of a gated fork, as
 * many pods are open as the last weight says, or as a promotion needs; none before the first weight, at weight 0 and in
 * an abort. At least `replicas` of its pods run, however many are open, until the fork is removed.
 */
export function podTargetAt(steps: readonly RunStep[], index: number, sizes: Sizes): PodTarget {
  const serving = servingOf(steps, index, sizes.isGated ? { ...sizes, replicas: 0 } : sizes)
  const { pods } = serving
  if (!sizes.isGated) return { ...serving, open: pods }
  const sizing = sizingStep(steps, index)?.is
  // a blue-green says how many pods run, and opens all of them with its cut-over, until its Services are back
  if (sizing === 'size' || sizing === 'cutOver') {
    const isServing = steps.slice(0, index + 1).some(({ is }) => is === 'cutOver' || is === 'promote')
    const isBack = steps.slice(0, index).some(({ is }) => is === 'return')
    return { ...serving, open: isServing && !isBack ? pods : 0 }
  }
  return { ...serving, pods: sizing === 'remove' ? 0 : Math.max(sizes.replicas, pods), open: pods }
}

/**
 * How many pods a gated fork may have now. While pods of a former revision exist, only as many as should be open: shut
 * pods are never ready and use up what an update may take down, so with more of them it would not finish. The fork has
 * all of its pods again when the former ones are gone.
 */
export const podsNow = (
  pods: readonly GatedPod[],
  target: Pick<PodTarget, 'pods' | 'open'>,
  { revision }: Pick<GateTarget, 'revision'>,
): number =>
  pods.some((pod) => pod.revision !== revision && !pod.isBeingDeleted)
    ? Math.min(target.pods, target.open)
    : target.pods

type Serving = Omit<PodTarget, 'open'>

function servingOf(steps: readonly RunStep[], index: number, sizes: Sizes): Serving {
  const isPromoting = steps.slice(0, index + 1).some(({ is }) => is === 'promote')
  if (sizes.inside) return insideAt(steps, index, sizes, sizes.inside)
  const sized = sizedBy(sizingStep(steps, index), sizes)
  return isPromoting ? { pods: Math.max(sized.pods, reservedPods(sizes)) } : sized
}

const SIZING: ReadonlySet<RunStep['is']> = new Set(['setWeight', 'surge', 'replicas', 'size', 'cutOver', 'remove'])

/**
 * The sizes of a fork and its source that have about as many pods together as the source alone. Before the first weight
 * the source keeps its pods. From the promotion on, the fork serves for it, until the source is refilled.
 */
function insideAt(
  steps: readonly RunStep[],
  index: number,
  { source, replicas }: Sizes,
  { bounds, rollout }: NonNullable<Sizes['inside']>,
): Serving {
  const until = steps.slice(0, index + 1)
  const pair = ({ fork, ...of }: SizePair): Serving => ({ pods: fork, ...of })
  if (until.some(({ is }) => is === 'refill' || is === 'remove')) return pair({ fork: 0, source })
  if (until.some(({ is }) => is === 'promote')) return pair(insideAtPromotion(source, bounds, rollout))
  const step = sizingStep(steps, index)
  if (step?.is === 'setWeight') return { ...pair(insideAtWeight(step.weight, source, bounds)), weight: step.weight }
  const room = bounds.most - source
  if (step?.is !== 'surge') return pair({ fork: Math.min(replicas, room), source })
  return pair(room > 0 || source < 2 ? { fork: room, source } : { fork: 1, source: source - 1 })
}

function sizedBy(step: RunStep | undefined, sizes: Sizes): Serving {
  switch (step?.is) {
    case 'setWeight': {
      const needed = podsFor(step.weight, sizes.source)
      const pods = Math.min(needed, surgeLimit(sizes))
      return { pods, weight: step.weight, ...(pods < needed ? { needed } : {}) }
    }
    case 'surge':
      return { pods: Math.max(1, surgeLimit(sizes)) }
    case 'size':
      return { pods: step.pods ?? (step.isPreview ? sizes.preview : sizes.source) }
    case 'cutOver':
      return { pods: sizes.source }
    case 'remove':
      return { pods: 0 }
    default:
      return { pods: sizes.replicas }
  }
}
