import { compareVersions } from './version.ts'

/** So many older lists in a row are no lagging replica but an etcd restored from a backup. */
const BELIEVED_AT = 5

/** Whether a list may replace what is known, told by their versions. */
export class Staleness {
  #older = 0
  #last: string | undefined

  /** `current`; `stale`: discard it; `restored`: older, but five in a row agree (none older than the one before). */
  judge(found: string, known: string | undefined): 'current' | 'stale' | 'restored' {
    if (known === undefined || compareVersions(found, known) >= 0) return this.#settle('current')
    const agrees = this.#last !== undefined && compareVersions(found, this.#last) >= 0
    this.#older = agrees ? this.#older + 1 : 1
    this.#last = found
    return this.#older >= BELIEVED_AT ? this.#settle('restored') : 'stale'
  }

  #settle<J>(judgement: J): J {
    this.#older = 0
    this.#last = undefined
    return judgement
  }
}
