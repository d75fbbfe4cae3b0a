import type { Timers } from '../common/program/clock.ts'
import { unlessAborted } from '../common/program/deadline.ts'

/** Something that is filled once after the start, such as a cache. */
export interface Fillable {
  /** for the message when it is not filled in time */
  readonly name: string
  /** resolves when it is filled */
  readonly filled: Promise<void>
}

/** What is not filled by then stays so: a permission is missing, or the API server cannot be reached. */
const LIMIT_MS = 120_000

interface FillOptions {
  readonly timers: Timers
  readonly stopping: AbortSignal
  /** gets the names of what is not filled yet, and loses each when it is */
  readonly missing: Set<string>
}

/**
 * Resolves to true when everything is filled, to false when `stopping` aborts before.
 * @throws Error that names what was not filled within two minutes
 */
export async function fill(all: readonly Fillable[], { timers, stopping, missing }: FillOptions): Promise<boolean> {
  for (const { name } of all) missing.add(name)
  const limit = new AbortController()
  const cancel = timers.after(LIMIT_MS, () => {
    const remedy = 'check the permissions, and whether the API server can be reached'
    limit.abort(new Error(`not filled within two minutes: ${[...missing].join(', ')}; ${remedy}`))
  })
  const filled = Promise.all(all.map((each) => each.filled.then(() => missing.delete(each.name))))
  try {
    await unlessAborted(unlessAborted(filled, limit.signal), stopping)
    return true
  } catch (error) {
    if (stopping.aborted) return false
    throw error
  } finally {
    cancel()
  }
}
