import type { KubeObject } from '../common/api/object.ts'
import type { SourceSeen } from './reconcile/observe.ts'

/** What all whole sources together may take, in characters of JSON. A Deployment has about 11,000. */
const MAX_CHARACTERS = 32 * 1024 * 1024

interface Entry {
  readonly seen: SourceSeen
  readonly size: number
}

interface SourceCacheOptions {
  /** the object and its referents as the API server has them now; undefined if it is not there. @throws KubeError */
  readonly fetch: (known: KubeObject) => Promise<SourceSeen | undefined>
  /** of what the watch tells, or of a whole object: a text that changes whenever the base may have */
  readonly pulse: (source: KubeObject) => string
  /** whether all that the source refers to was found; else it is asked for again */
  readonly isComplete: (seen: SourceSeen) => boolean
  readonly maxCharacters?: number
}

/**
 * Whole sources by uid and pulse, least recently used first out. The watch tells metadata only: a cluster has far
 * more workloads than sources.
 */
export class SourceCache {
  readonly #options: SourceCacheOptions
  readonly #maxCharacters: number
  readonly #entries = new Map<string, Entry>() // a Map keeps the order of insertion
  readonly #pending = new Map<string, Promise<SourceSeen | undefined>>()
  #size = 0

  constructor(options: SourceCacheOptions) {
    this.#options = options
    this.#maxCharacters = options.maxCharacters ?? MAX_CHARACTERS
  }

  /** The whole object that `known` is a part of, in this state or a later one. @throws KubeError */
  async get(known: KubeObject): Promise<SourceSeen | undefined> {
    const id = this.#idOf(known)
    const entry = this.#entries.get(id)
    if (entry) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
      return entry.seen
    }
    // two hundred followers of one source ask at once
    const pending = this.#pending.get(id) ?? this.#load(known, id)
    this.#pending.set(id, pending)
    return pending
  }

  async #load(known: KubeObject, id: string): Promise<SourceSeen | undefined> {
    try {
      const seen = await this.#options.fetch(known)
      if (seen && this.#options.isComplete(seen)) this.#keep(seen)
      return seen
    } finally {
      this.#pending.delete(id)
    }
  }

  #keep(seen: SourceSeen): void {
    const id = this.#idOf(seen.source)
    if (this.#entries.has(id)) return
    const size = sizeOf(seen)
    this.#entries.set(id, { seen, size })
    this.#size += size
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#maxCharacters) return
      this.#entries.delete(oldest)
      this.#size -= entry.size
    }
  }

  #idOf(source: KubeObject): string {
    return `${source.metadata.uid}/${this.#options.pulse(source)}`
  }
}

/** Characters of JSON. What is too deep to be written is kept as if it were large: it is soon let go. */
function sizeOf(seen: SourceSeen): number {
  try {
    return JSON.stringify(seen).length
  } catch {
    return MAX_CHARACTERS
  }
}
