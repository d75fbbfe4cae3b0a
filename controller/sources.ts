import type { KubeObject } from '../common/api/object.ts'

/** What all whole sources together may take, in characters of JSON. A Deployment has about 11,000. */
const MAX_CHARACTERS = 32 * 1024 * 1024

interface Entry {
  readonly source: KubeObject
  readonly size: number
}

interface SourceCacheOptions {
  /** the object as the API server has it now; undefined if it is not there. @throws KubeError */
  readonly fetch: (known: KubeObject) => Promise<KubeObject | undefined>
  readonly maxCharacters?: number
}

/**
 * Whole sources by uid and generation, least recently used first out. The watch tells metadata only: a cluster has far
 * more workloads than sources.
 */
export class SourceCache {
  readonly #fetch: SourceCacheOptions['fetch']
  readonly #maxCharacters: number
  readonly #entries = new Map<string, Entry>() // a Map keeps the order of insertion
  readonly #pending = new Map<string, Promise<KubeObject | undefined>>()
  #size = 0

  constructor({ fetch, maxCharacters = MAX_CHARACTERS }: SourceCacheOptions) {
    this.#fetch = fetch
    this.#maxCharacters = maxCharacters
  }

  /** The whole object that `known` is the metadata of, in this generation or a later one. @throws KubeError */
  async get(known: KubeObject): Promise<KubeObject | undefined> {
    const id = idOf(known)
    const entry = this.#entries.get(id)
    if (entry) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
      return entry.source
    }
    // two hundred followers of one source ask at once
    const pending = this.#pending.get(id) ?? this.#load(known, id)
    this.#pending.set(id, pending)
    return pending
  }

  async #load(known: KubeObject, id: string): Promise<KubeObject | undefined> {
    try {
      const source = await this.#fetch(known)
      if (source) this.#keep(source)
      return source
    } finally {
      this.#pending.delete(id)
    }
  }

  #keep(source: KubeObject): void {
    const id = idOf(source)
    if (this.#entries.has(id)) return
    const size = JSON.stringify(source).length
    this.#entries.set(id, { source, size })
    this.#size += size
    for (const [oldest, entry] of this.#entries) {
      if (this.#size <= this.#maxCharacters) return
      this.#entries.delete(oldest)
      this.#size -= entry.size
    }
  }
}

const idOf = ({ metadata }: KubeObject): string => `${metadata.uid}/${metadata.generation}`
