/** Whether `value` is a valid resourceVersion: a decimal number as text. Source: KEP-5504. */
export const isVersion = (value: unknown): value is string => typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)

/** Below 0 if `a` is older, above 0 if newer. Compares text, as numbers lose digits: the longer is the greater. */
export const compareVersions = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a === b ? 0 : 1)

/** This number of older lists in a row means that etcd was restored from a backup, not that a replica lags behind. */
const RESTORED_AFTER = 5

/** Decides by versions whether a list may replace the known objects. */
export class Staleness {
  #older = 0
  #last: string | undefined

  /**
   * - `current`: the list is at least as new as what is known.
   * - `stale`: it is older. Discard it.
   * - `restored`: it is older, but so were four lists before, and none of the five was older than the one before.
   */
  check(found: string, known: string | undefined): 'current' | 'stale' | 'restored' {
    if (known === undefined || compareVersions(found, known) >= 0) return this.#reset('current')
    const agrees = this.#last !== undefined && compareVersions(found, this.#last) >= 0
    this.#older = agrees ? this.#older + 1 : 1
    this.#last = found
    return this.#older >= RESTORED_AFTER ? this.#reset('restored') : 'stale'
  }

  #reset<R>(result: R): R {
    this.#older = 0
    this.#last = undefined
    return result
  }
}
