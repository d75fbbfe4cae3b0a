import type { Random } from '../../common/clock.ts'

export interface Backoff {
  readonly random: Random
  readonly firstMs?: number
  readonly maxMs?: number
}

/**
 * Milliseconds to wait after `failures` in a row: doubling up to `maxMs`, plus up to a fifth to part keys that failed
 * together. Starts as client-go's work queue does.
 */
export const backoff =
  ({ random, firstMs = 5, maxMs = 60_000 }: Backoff) =>
  (failures: number): number =>
    Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (1 + 0.2 * random())
