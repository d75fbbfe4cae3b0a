import { namespaceOf } from './fair-line.ts'
import type { Key, Slots } from './queue.ts'

/**
 * How much may be under way at once. A namespace gets at most as many slots as it leaves free: one whose passes all
 * wait for a slow webhook gets half of them, and two such namespaces get a third each.
 */
export class FairSlots implements Slots {
  readonly #taken = new Map<string, number>() // by namespace
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /** How many are free, for whichever namespaces. */
  get free(): number {
    return this.#free
  }

  /** Whether work on `key` may begin or go on. */
  mayTake(key: Key): boolean {
    return (this.#taken.get(namespaceOf(key)) ?? 0) < this.#free
  }

  take(key: Key): void {
    const namespace = namespaceOf(key)
    this.#taken.set(namespace, (this.#taken.get(namespace) ?? 0) + 1)
    this.#free -= 1
  }

  /** Call this once for each `take`. */
  giveBack(key: Key): void {
    const namespace = namespaceOf(key)
    const taken = (this.#taken.get(namespace) ?? 0) - 1
    if (taken > 0) this.#taken.set(namespace, taken)
    else this.#taken.delete(namespace)
    this.#free += 1
  }
}
