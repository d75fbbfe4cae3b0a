import { factsOf } from '../kube/client/errors.ts'
import { pause, type Timers } from '../program/clock.ts'
import type { Log } from '../program/log.ts'
import { releaseMemory } from '../program/memory.ts'
import type { SchemaCatalog } from './catalog.ts'

export interface RefresherOptions {
  readonly catalog: SchemaCatalog
  readonly timers: Timers
  readonly log: Log
  readonly signal: AbortSignal
  /** time between two refreshes */
  readonly everyMs?: number
  /** time between two refreshes while a kind has no schema, because its CRD may be installed soon */
  readonly absentMs?: number
  /**
   * time after the first of several failed refreshes, doubled after each, and the minimum between two refreshes. Not
   * doubled if the API server only is about to publish other documents.
   */
  readonly retryMs?: number
}

/** The longest wait after a failure. Nothing can be done before the first refresh, so that one is tried more often. */
const LAST_RETRY_MS = 60_000
const LAST_RETRY_OF_FIRST_MS = 15_000

/**
 * Keeps `catalog` up to date until `signal` aborts, and then resolves `ended`: at any time the cluster may be upgraded
 * or a kind installed. `refreshNow` starts the next refresh at once, or `retryMs` after the last one; it does not
 * shorten the wait after a failure.
 */
export function keepFresh({
  catalog,
  timers,
  log,
  signal,
  everyMs = 60_000,
  absentMs = 30_000,
  retryMs = 5_000,
}: RefresherOptions) {
  let rest = new AbortController()
  let isChanged = false
  let failures = 0 // in a row
  catalog.subscribe(() => {
    isChanged = true
  })
  const go = async (): Promise<void> => {
    while (!signal.aborted) {
      rest = new AbortController()
      const result = await refreshed(catalog, log)
      const isFresh = result === 'fresh'
      if (isChanged) releaseMemory() // of the parsed documents and old schemas
      isChanged = false
      failures = isFresh ? 0 : result === 'moved' ? 1 : failures + 1
      const lastMs = catalog.hasRead ? LAST_RETRY_MS : LAST_RETRY_OF_FIRST_MS
      const failedMs = Math.min(lastMs, retryMs * 2 ** (failures - 1))
      const restMs = isFresh ? (catalog.isComplete ? everyMs : absentMs) : failedMs
      const leastMs = isFresh ? Math.min(retryMs, restMs) : restMs
      await pause(timers, leastMs, signal)
      await pause(timers, restMs - leastMs, AbortSignal.any([signal, rest.signal]))
    }
  }
  return { ended: go(), refreshNow: () => rest.abort() }
}

async function refreshed(catalog: SchemaCatalog, log: Log): Promise<'fresh' | 'moved' | 'failed'> {
  try {
    const failures = await catalog.refresh()
    for (const { apiVersion, error } of failures) log.warn({ apiVersion, ...factsOf(error) }, 'schemas not refreshed')
    if (failures.length === 0) return 'fresh'
    return failures.every(({ hasMoved }) => hasMoved) ? 'moved' : 'failed'
  } catch (error) {
    log.warn(factsOf(error), 'schemas not refreshed')
    return 'failed'
  }
}

type Schemas = Pick<SchemaCatalog, 'schemaOf'>

/** `schemas`, with a call of `refreshNow` whenever the schema of a kind is asked for and missing. */
export const refreshOnMiss = (schemas: Schemas, refreshNow: () => void): Schemas => ({
  schemaOf(kind) {
    const schema = schemas.schemaOf(kind)
    if (!schema) refreshNow()
    return schema
  },
})
