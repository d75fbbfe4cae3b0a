import type { KubeObject } from '../../common/api/object.ts'
import type { WrittenGeneration } from '../../common/facts/facts.ts'
import type { Key } from '../runtime/queue.ts'
import { keyOfTwin } from './drift-backoff.ts'

interface UnreportedWritesOptions {
  /** whether there is such an experiment; of one that is deleted during its pass nothing is remembered */
  readonly isKnown: (key: Key) => boolean
}

/**
 * The forks and twins that this process wrote, until the status of their experiment tells of it. If a pass cannot write
 * that status, the next pass knows by this that no other client has changed their specs.
 */
export class UnreportedWrites {
  readonly #options: UnreportedWritesOptions
  readonly #written = new Map<Key, WrittenGeneration>()

  constructor(options: UnreportedWritesOptions) {
    this.#options = options
  }

  /** How many writes it remembers; 0 when all statuses are written. For tests. */
  get size(): number {
    return this.#written.size
  }

  /** The last write of the fork of `key`, or of its twin for the key of that; undefined: there is only the status. */
  of(key: Key): WrittenGeneration | undefined {
    return this.#written.get(key)
  }

  /** Call this after a write of the fork or the twin of `key`, with the object as stored. */
  noteWrite(key: Key, { metadata }: KubeObject, { isOfTwin }: { readonly isOfTwin: boolean }): void {
    const { uid, generation } = metadata
    if (uid === undefined || generation === undefined || !this.#options.isKnown(key)) return
    this.#written.set(isOfTwin ? keyOfTwin(key) : key, { uid, generation })
  }

  /** Call this after the status of `key` was written, or when the experiment is gone. */
  forget(key: Key): void {
    this.#written.delete(key)
    this.#written.delete(keyOfTwin(key))
  }
}
