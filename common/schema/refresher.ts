import { factsOf } from '../kube/client/errors.ts'
import { pause, type Timers } from '../program/clock.ts'
import { type Log, shouldLogRepetition } from '../program/log.ts'
import { releaseMemory } from '../program/memory.ts'
import type { SchemaCatalog } from './catalog.ts'

interface RefresherOptions {
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
  const logMissed = repeatedly(log)
  catalog.subscribe(() => {
    isChanged = true
  })
  const go = async (): Promise<void> => {
    while (!signal.aborted) {
      rest = new AbortController()
      const missed = await refreshed(catalog)
      if (signal.aborted) return
      logMissed(missed)
      const isFresh = missed.length === 0
      const isMoving = missed.every(({ hasMoved }) => hasMoved)
      if (isChanged) releaseMemory() // of the parsed documents and old schemas
      isChanged = false
      failures = isFresh ? 0 : isMoving ? 1 : failures + 1
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

/** What a refresh did not read. */
interface Missed {
  /** absent if nothing was read */
  readonly apiVersion?: string
  readonly error: unknown
  /** whether the API server is about to publish other documents */
  readonly hasMoved: boolean
}

async function refreshed(catalog: SchemaCatalog): Promise<readonly Missed[]> {
  try {
    return await catalog.refresh()
  } catch (error) {
    return [{ error, hasMoved: false }]
  }
}

/** Logs what each refresh did not read. What is missed again and again is logged ever less often, until it is read. */
function repeatedly(log: Log): (missed: readonly Missed[]) => void {
  let counts = new Map<string | undefined, number>()
  return (missed) => {
    counts = new Map(missed.map(({ apiVersion }) => [apiVersion, (counts.get(apiVersion) ?? 0) + 1]))
    for (const { apiVersion, error } of missed) {
      const failures = counts.get(apiVersion) ?? 1
      if (shouldLogRepetition(failures)) log.warn({ apiVersion, failures, ...factsOf(error) }, 'schemas not refreshed')
    }
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
