import { unlessAborted } from '../common/deadline.ts'

/** Lets so many in at once; the others wait, first come, first served. */
export class Gate {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(width: number) {
    this.#free = width
  }

  /** What `work` becomes. @throws what it throws, and the reason of `signal` where that ends the wait */
  async pass<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    await this.#enter(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    try {
      await unlessAborted(promise, signal)
    } catch (error) {
      const place = this.#waiting.indexOf(resolve)
      if (place >= 0) this.#waiting.splice(place, 1)
      else this.#leave() // its turn came at that very moment
      throw error
    }
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
