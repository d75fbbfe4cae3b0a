import { type Amount, roundedUp } from '../api/amount.ts'
import type { Step } from './compile.ts'
import { podsFor } from './weight.ts'

/** The numbers on which a target depends. */
export interface Sizes {
  /** `spec.replicas` of the source */
  readonly source: number
  /** `spec.replicas` of the experiment: its pods where no weight decides */
  readonly replicas: number
  readonly maxSurge: Amount
  /** the pods of the fork that a promotion needs, so that enough pods serve meanwhile */
  readonly reserve: number
}

/** How many pods a step wants. */
export interface Target {
  readonly pods: number
  /** the weight that decides, if one does */
  readonly weight?: number
  /** the pods that the weight needs, if `maxSurge` does not allow them */
  readonly needed?: number
}

/** The most pods that a Kubernetes workload can have: `replicas` is an int32. */
const MAX_PODS = 2 ** 31 - 1

/** The most pods that a fork may have beside `source` pods. */
export const surgeLimit = ({ maxSurge, source }: Pick<Sizes, 'maxSurge' | 'source'>): number =>
  Math.min(MAX_PODS, roundedUp(maxSurge, source) ?? source)

/** The pods that serve instead of those that the source's own rollout takes down. */
export const reservedPods = (sizes: Sizes): number => Math.min(sizes.reserve, surgeLimit(sizes))

/** The step that decides the pods at the step at `index`: the last one until there that says a number. */
export const sizingStep = (steps: readonly Step[], index: number): Step | undefined =>
  steps.slice(0, index + 1).findLast(({ is }) => SIZING.has(is))

/** What the step at `index` wants: the last step before it that says a number, or else `replicas`. */
export function targetOf(steps: readonly Step[], index: number, sizes: Sizes): Target {
  const sized = sizedBy(sizingStep(steps, index), sizes)
  const isPromoting = steps.slice(0, index + 1).some(({ is }) => is === 'promote')
  return isPromoting ? { pods: Math.max(sized.pods, reservedPods(sizes)) } : sized
}

const SIZING: ReadonlySet<Step['is']> = new Set(['setWeight', 'surge', 'replicas', 'remove'])

function sizedBy(step: Step | undefined, sizes: Sizes): Target {
  switch (step?.is) {
    case 'setWeight': {
      const needed = podsFor(step.weight, sizes.source)
      const pods = Math.min(needed, surgeLimit(sizes))
      return { pods, weight: step.weight, ...(pods < needed ? { needed } : {}) }
    }
    case 'surge':
      return { pods: Math.max(1, surgeLimit(sizes)) }
    case 'remove':
      return { pods: 0 }
    default:
      return { pods: sizes.replicas }
  }
}
