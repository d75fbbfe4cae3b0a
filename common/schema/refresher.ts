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
  /** after a failure, and between two readings at least */
  readonly retryMs?: number
}

/** Readings that go on. */
export interface Freshening {
  /** resolves once they have ended */
  readonly ended: Promise<void>
  /** Somebody asks for what is not there: the next reading comes at once, unless there was one just now. */
  readonly hurry: () => void
}

/** Keeps `catalog` up to date until `signal` aborts: a cluster may be upgraded, or a kind be installed, at any time. */
export function keepFresh({
  catalog,
  timers,
  log,
  signal,
  everyMs = 600_000,
  absentMs = 30_000,
  retryMs = 5_000,
}: Refreshing): Freshening {
  let rest = new AbortController()
  let isChanged = false
  catalog.subscribe(() => {
    isChanged = true
  })
  const go = async (): Promise<void> => {
    while (!signal.aborted) {
      rest = new AbortController()
      const isFresh = await refreshed(catalog, log)
      if (isChanged) releaseMemory() // of what was parsed and compiled
      isChanged = false
      const restMs = isFresh ? (catalog.isComplete ? everyMs : absentMs) : retryMs
      const leastMs = Math.min(retryMs, restMs)
      await pause(timers, leastMs, signal)
      await pause(timers, restMs - leastMs, AbortSignal.any([signal, rest.signal]))
    }
  }
  return { ended: go(), hurry: () => rest.abort() }
}

async function refreshed(catalog: SchemaCatalog, log: Log): Promise<boolean> {
  try {
    const failures = await catalog.refresh()
    for (const { apiVersion, error } of failures) log.warn({ apiVersion, ...factsOf(error) }, 'schemas not refreshed')
    return failures.length === 0
  } catch (error) {
    log.warn(factsOf(error), 'schemas not refreshed')
    return false
  }
}
