import type { PlaceholderValues } from '../placeholders.ts'
import type { Arm } from '../window-data.ts'
import type { WindowQuery } from './window-query.ts'

/** How `{{pods}}` is written: the names of the pods as one text. */
type PodsText = (names: readonly string[]) => string

/** A regular expression that is true for the names: `cart-0|cart[.]1`. A dot of a name is no other character. */
export const podPattern: PodsText = (names) => names.map((name) => name.replaceAll('.', '[.]')).join('|')

/** The names with commas between them, which no name has. */
export const podList: PodsText = (names) => names.join(',')

/**
 * The values of the placeholders in a query about one arm. Times are whole seconds since 1970: not every service reads
 * fractions, and a duration of PromQL has none.
 */
export function placeholderValues(
  { namespace, window, arms }: Pick<WindowQuery, 'namespace' | 'window' | 'arms'>,
  arm: Arm,
  podsText: PodsText,
): PlaceholderValues {
  const { workload, pods } = arms[arm]
  const { start, end } = window
  return {
    arm,
    pods: podsText(pods),
    namespace,
    workload,
    windowSeconds: `${Math.max(1, wholeSeconds(end - start))}`,
    windowStart: `${wholeSeconds(start)}`,
    windowEnd: `${wholeSeconds(end)}`,
  }
}

const wholeSeconds = (ms: number): number => Math.round(ms / 1_000)
