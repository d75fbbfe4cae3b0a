import type { KubeObject } from '../../common/api/object.ts'
import { ReadCache } from '../../common/program/read-cache.ts'
import type { Source, WorkloadKind } from '../../common/workload/kind.ts'

/** The memory of all kept sources together. A Deployment of ordinary size takes 7,000 bytes. */
const MAX_BYTES = 32 * 1024 * 1024
/** The memory of a parsed object for each character of its JSON: about two were measured with Deployments. */
const BYTES_PER_CHARACTER = 3

interface RecentSourcesOptions {
  /** reads the object and its referents from the API server; undefined if it does not exist. @throws KubeError */
  readonly fetch: (kind: WorkloadKind, watched: KubeObject) => Promise<Source | undefined>
  /** of whole objects or their watched part: a text that changes whenever the base may have changed */
  readonly fingerprint: (kind: WorkloadKind, source: Source) => string
  /** whether everything that belongs to this state of the source was found; if not, the source is not kept */
  readonly isComplete: (kind: WorkloadKind, found: Source) => boolean
  readonly maxBytes?: number
}

interface Entry {
  readonly fingerprint: string
  readonly source: Source
  readonly size: number
}

/**
 * Keeps the last state that was read of whole sources of all kinds, and drops the least recently used ones. The watch
 * has only metadata, because a cluster has far more workloads than sources. `managedFields`, which are two thirds of an
 * object, are left out: nobody needs those of a source that is not read live.
 */
export class RecentSources {
  readonly #options: RecentSourcesOptions
  /** by uid, in the order of use: a Map keeps the order of insertion */
  readonly #entries = new Map<string, Entry>()
  readonly #loads = new ReadCache<Source | undefined>()
  #size = 0

  constructor(options: RecentSourcesOptions) {
    this.#options = options
  }

  /** The whole object of which the watch has `watched`, in this state or a later one. @throws KubeError */
  async get(kind: WorkloadKind, watched: Source): Promise<Source | undefined> {
    const [uid, fingerprint] = [uidOf(watched), this.#options.fingerprint(kind, watched)]
    const entry = this.#entries.get(uid)
    if (entry?.fingerprint === fingerprint) {
      this.#entries.delete(uid)
      this.#entries.set(uid, entry)
      return entry.source
    }
    // Two hundred followers of one source may ask at once.
    return this.#loads.of(`${uid}/${fingerprint}`, async () => ({
      value: await this.read(kind, watched.object),
      isLasting: false,
    }))
  }

  /** The present state of the whole object `watched`, whatever the watch has seen of it. @throws KubeError */
  async read(kind: WorkloadKind, watched: KubeObject): Promise<Source | undefined> {
    const found = await this.#options.fetch(kind, watched)
    const value = found && { object: unmanaged(found.object), referents: found.referents.map(unmanaged) }
    if (value && this.#options.isComplete(kind, value)) this.#keep(kind, value)
    return value
  }

  #keep(kind: WorkloadKind, found: Source): void {
    const uid = uidOf(found)
    const { maxBytes = MAX_BYTES, fingerprint } = this.#options
    this.#drop(uid) // a former state of it is of no use any more
    const size = bytesOf(found)
    if (size >= maxBytes) return // all others would be dropped for it
    this.#entries.set(uid, { fingerprint: fingerprint(kind, found), source: found, size })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= maxBytes) return
      this.#drop(oldest)
    }
  }

  #drop(uid: string): void {
    this.#size -= this.#entries.get(uid)?.size ?? 0
    this.#entries.delete(uid)
  }
}

const uidOf = ({ object: { metadata } }: Source): string => metadata.uid ?? ''

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
