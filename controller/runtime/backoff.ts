import type { Random } from '../../common/program/clock.ts'

/** How waits grow: from `firstMs` to `maxMs`. */
interface Backoff {
  readonly random: Random
  readonly firstMs?: number
  readonly maxMs?: number
}

/**
 * Milliseconds to wait after `failures` in a row. The time starts as in client-go's work queue and doubles up to
 * `maxMs`. Up to a fifth is added at random, so that keys that failed together are not tried together.
 */
export const backoff =
  ({ random, firstMs = 5, maxMs = 60_000 }: Backoff) =>
  (failures: number): number =>
    Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (1 + 0.2 * random())
