import { pause, type Timers } from '../clock.ts'
import { factsOf } from '../kube/errors.ts'
import type { Log } from '../log.ts'
import { releaseMemory } from '../memory.ts'
import type { SchemaCatalog } from './catalog.ts'

export interface Refreshing {
  readonly catalog: SchemaCatalog
  readonly timers: Timers
  readonly log: Log
  readonly signal: AbortSignal
  /** between two readings */
  readonly everyMs?: number
  /** while a kind has no schema: its CRD may come */
  readonly absentMs?: number
  /** after a failure */
  readonly retryMs?: number
}

/** Keeps `catalog` up to date until `signal` aborts: a cluster may be upgraded, or a kind be installed, at any time. */
export async function keepFresh({
  catalog,
  timers,
  log,
  signal,
  everyMs = 600_000,
  absentMs = 30_000,
  retryMs = 5_000,
}: Refreshing): Promise<void> {
  while (!signal.aborted) {
    const isFresh = await refreshed(catalog, log)
    await pause(timers, isFresh ? (catalog.isComplete ? everyMs : absentMs) : retryMs, signal)
  }
}

async function refreshed(catalog: SchemaCatalog, log: Log): Promise<boolean> {
  try {
    const failures = await catalog.refresh()
    releaseMemory()
    for (const { apiVersion, error } of failures) log.warn({ apiVersion, ...factsOf(error) }, 'schemas not refreshed')
    return failures.length === 0
  } catch (error) {
    log.warn(factsOf(error), 'schemas not refreshed')
    return false
  }
}
