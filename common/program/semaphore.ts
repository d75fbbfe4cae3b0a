import { unlessAborted } from './deadline.ts'

/** Limits how many tasks run at once. The others wait and start in the order in which they came. */
export class Semaphore {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(width: number) {
    this.#free = width
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Runs `work` as soon as there is a free place, and returns its result.
   * @throws what `work` throws; the reason of `signal` if that aborts while it waits
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
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
      else this.#leave() // the place was given to it in the same moment
      throw error
    }
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
