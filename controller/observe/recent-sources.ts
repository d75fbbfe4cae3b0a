import type { KubeObject } from '../../common/api/object.ts'
import { SharedReadings } from '../../common/program/shared-readings.ts'
import type { Source } from '../../common/workload/kind.ts'

/** The size of all kept sources together, in characters of JSON. A Deployment has about 11,000. */
const MAX_CHARACTERS = 32 * 1024 * 1024

interface SourceCacheOptions {
  /** reads the object and its referents from the API server; undefined if it does not exist. @throws KubeError */
  readonly fetch: (watched: KubeObject) => Promise<Source | undefined>
  /** of whole objects or their watched part: a text that changes whenever the base may have changed */
  readonly fingerprint: (source: Source) => string
  /** whether everything that belongs to this state of the source was found; if not, the source is not kept */
  readonly isComplete: (found: Source) => boolean
  readonly maxCharacters?: number
}

/**
 * Keeps whole sources by uid and fingerprint, and drops the least recently used ones. The watch has only metadata,
 * because a cluster has far more workloads than sources.
 */
export class RecentSources {
  readonly #options: SourceCacheOptions
  /** in the order of use: a Map keeps the order of insertion */
  readonly #entries = new Map<string, { readonly source: Source; readonly size: number }>()
  readonly #loads = new SharedReadings<Source | undefined>()
  #size = 0

  constructor(options: SourceCacheOptions) {
    this.#options = options
  }

  /** The whole object of which the watch has `watched`, in this state or a later one. @throws KubeError */
  async get(watched: Source): Promise<Source | undefined> {
    const id = this.#idOf(watched)
    const entry = this.#entries.get(id)
    if (entry) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
      return entry.source
    }
    // Two hundred followers of one source may ask at once.
    return this.#loads.of(id, async () => {
      const found = await this.#options.fetch(watched.object)
      if (found && this.#options.isComplete(found)) this.#keep(found)
      return { value: found, isLasting: false }
    })
  }

  #keep(found: Source): void {
    const id = this.#idOf(found)
    if (this.#entries.has(id)) return
    const { maxCharacters = MAX_CHARACTERS } = this.#options
    const size = sizeOf(found)
    if (size >= maxCharacters) return // all others would be dropped for it
    this.#entries.set(id, { source: found, size })
    this.#size += size
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= maxCharacters) return
      this.#entries.delete(oldest)
      this.#size -= entry.size
    }
  }

  #idOf(source: Source): string {
    return `${source.object.metadata.uid}/${this.#options.fingerprint(source)}`
  }
}

/** Characters of JSON. An object too deep for `JSON.stringify` counts as too large to be kept. */
function sizeOf(found: Source): number {
  try {
    return JSON.stringify(found).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
