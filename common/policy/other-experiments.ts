import type { ExperimentDeployment } from '../api/types.ts'
import { count } from '../text/count.ts'

/** The most experiments that a refusal names. The others are counted. */
const MAX_NAMES = 5

/** Another experiment, and how many pods it has that count; absent: its pods do not matter. */
export interface OtherPods {
  readonly of: ExperimentDeployment
  readonly pods?: number
}

/**
 * Who has what a limit counts, for a refusal of `experiment`: `; others: expd/b (1 pod), expd/d (1 pod), 2 elsewhere`.
 * Only experiments of its own namespace are named, because its author may not know those of others.
 */
export function othersClause({ metadata: { namespace } }: ExperimentDeployment, others: readonly OtherPods[]): string {
  const own = others
    .filter(({ of }) => of.metadata.namespace === namespace)
    .map(({ of, pods }) => `expd/${of.metadata.name}${pods === undefined ? '' : ` (${count(pods, 'pod')})`}`)
    .sort()
  const [more, elsewhere] = [own.length - MAX_NAMES, others.length - own.length]
  const parts = [
    ...own.slice(0, MAX_NAMES),
    ...(more > 0 ? [`${more} more here`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} elsewhere`] : []),
  ]
  return parts.length > 0 ? `; others: ${parts.join(', ')}` : ''
}

/** From how many other endpoints on `pods` are at most `percent` of all: E / (E + R) <= P % if R >= E (100 - P) / P. */
export const endpointsNeeded = (pods: number, percent: number): number => Math.ceil((pods * (100 - percent)) / percent)
