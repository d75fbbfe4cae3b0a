import { warning, warningsAbout } from '../api/conditions.ts'
import { CR_NAME } from '../api/names.ts'
import type { Warning } from '../api/types.ts'
import { aside } from '../text/fitted.ts'
import { isGatedFork } from '../workload/gated-spec.ts'
import { countingAutoscaler } from './counting.ts'
import type { AutoscalerView } from './neighbours.ts'
import { type ForkAndSource, scales } from './pod-labels.ts'

/** What is to be said of the autoscaler of the source, and of those among `all` that scale the fork. */
export function autoscalers(pair: ForkAndSource, all: readonly AutoscalerView[]): readonly Warning[] {
  const counting = countingAutoscaler(pair, all)
  return [...(counting ? counted(pair, counting) : []), ...scaled(pair, all)]
}

/**
 * An autoscaler on CPU takes a pod that is not ready for idle when it scales up. The pods of a gated fork are not ready
 * while they are shut.
 */
function counted({ fork }: ForkAndSource, { name, isOnCpu }: AutoscalerView): readonly Warning[] {
  const isHeldBack = isGatedFork(fork) && isOnCpu
  return [
    isHeldBack
      ? warning(
          'HeldBackHPA',
          `hpa/${name} takes pods that are shut for idle ones, so it scales the source up too late`,
          aside('; keep the fork small until its pods are opened'),
        )
      : warning(
          'CountedByHPA',
          `hpa/${name} includes the fork's pods in its average`,
          aside(' when it scales the source'),
        ),
  ]
}

function scaled({ fork }: ForkAndSource, all: readonly AutoscalerView[]): readonly Warning[] {
  return warningsAbout('ScaledByHPA', namesOf(all.filter(scales(fork))), (names) => [
    names,
    ' scales the fork, but the controller resets it',
    aside(`; target expd/${fork.metadata.labels?.[CR_NAME]} instead`),
  ])
}

const namesOf = (autoscalers: readonly AutoscalerView[]): readonly string[] =>
  autoscalers.map(({ name }) => `hpa/${name}`).sort()
