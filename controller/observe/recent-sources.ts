import type { KubeObject } from '../../common/api/object.ts'
import { SharedReadings } from '../../common/program/shared-readings.ts'
import type { Source, WorkloadKind } from '../../common/workload/kind.ts'

/** The memory of all kept sources together. A Deployment of ordinary size takes 7,000 bytes. */
const MAX_BYTES = 32 * 1024 * 1024
/** The memory of a parsed object for each character of its JSON: about two were measured with Deployments. */
const BYTES_PER_CHARACTER = 3

interface SourceCacheOptions {
  /** reads the object and its referents from the API server; undefined if it does not exist. @throws KubeError */
  readonly fetch: (kind: WorkloadKind, watched: KubeObject) => Promise<Source | undefined>
  /** of whole objects or their watched part: a text that changes whenever the base may have changed */
  readonly fingerprint: (kind: WorkloadKind, source: Source) => string
  /** whether everything that belongs to this state of the source was found; if not, the source is not kept */
  readonly isComplete: (kind: WorkloadKind, found: Source) => boolean
  readonly maxBytes?: number
}

/**
 * Keeps whole sources of all kinds by uid and fingerprint, and drops the least recently used ones. The watch has only
 * metadata, because a cluster has far more workloads than sources. `managedFields`, which are two thirds of an object,
 * are left out: nobody needs those of a source that is not read live.
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
  async get(kind: WorkloadKind, watched: Source): Promise<Source | undefined> {
    const id = this.#idOf(kind, watched)
    const entry = this.#entries.get(id)
    if (entry) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
      return entry.source
    }
    // Two hundred followers of one source may ask at once.
    return this.#loads.of(id, async () => {
      const found = await this.#options.fetch(kind, watched.object)
      const value = found && { object: unmanaged(found.object), referents: found.referents.map(unmanaged) }
      if (value && this.#options.isComplete(kind, value)) this.#keep(kind, value)
      return { value, isLasting: false }
    })
  }

  #keep(kind: WorkloadKind, found: Source): void {
    const id = this.#idOf(kind, found)
    if (this.#entries.has(id)) return
    const { maxBytes = MAX_BYTES } = this.#options
    const size = bytesOf(found)
    if (size >= maxBytes) return // all others would be dropped for it
    this.#entries.set(id, { source: found, size })
    this.#size += size
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= maxBytes) return
      this.#entries.delete(oldest)
      this.#size -= entry.size
    }
  }

  #idOf(kind: WorkloadKind, source: Source): string {
    return `${source.object.metadata.uid}/${this.#options.fingerprint(kind, source)}`
  }
}

function unmanaged(object: KubeObject): KubeObject {
  const { managedFields: _managers, ...metadata } = object.metadata
  return { ...object, metadata }
}

/** An object too deep for `JSON.stringify` counts as too large to be kept. */
function bytesOf(found: Source): number {
  try {
    return BYTES_PER_CHARACTER * JSON.stringify(found).length
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
