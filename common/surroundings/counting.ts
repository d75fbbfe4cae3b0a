import { selects } from '../api/label-selector.ts'
import type { KubeObject } from '../api/object.ts'
import { templateLabels } from '../fork/derive.ts'
import { at } from '../json/json.ts'
import type { AutoscalerView } from './neighbours.ts'
import { scales } from './pod-labels.ts'

/**
 * The autoscaler of `source` that counts the pods of `fork`, too: it averages over all pods that match the selector of
 * its target, with any owner (argoproj/argo-rollouts#4369). undefined: there is none, or it does not count them.
 */
export function countingAutoscaler(
  { source, fork }: { readonly source: KubeObject | undefined; readonly fork: KubeObject },
  autoscalers: readonly AutoscalerView[],
): AutoscalerView | undefined {
  const isCounted = source !== undefined && selects(at(source, 'spec', 'selector'), templateLabels(fork))
  return isCounted ? autoscalers.find(scales(source)) : undefined
}
