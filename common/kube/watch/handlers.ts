import type { Log } from '../../program/log.ts'
import type { Yielder } from '../../program/yielder.ts'
import { factsOf } from '../client/errors.ts'
import type { ObjectChange } from './store.ts'

/** Called for each change of a store. */
export type Handler<T> = (change: ObjectChange<T>) => void

interface HandlersOptions {
  readonly log: Log
  /** called when a handler throws */
  readonly onError: () => void
  /** whether no handler may be called any more */
  readonly isOver: () => boolean
}

/** Those who follow the changes of a store. What one of them throws is logged, and the others go on. */
export class Handlers<T> {
  readonly #options: HandlersOptions
  readonly #handlers = new Set<Handler<T>>()

  constructor(options: HandlersOptions) {
    this.#options = options
  }

  /** Returns a function that ends it. */
  add(handler: Handler<T>): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  call(change: ObjectChange<T>): void {
    for (const handler of this.#handlers) if (!this.#options.isOver()) this.guarded(() => handler(change))
  }

  /** As `call` for each of many changes. Other work comes in between if that is long. */
  async callInTurns(changes: readonly ObjectChange<T>[], yielder: Yielder): Promise<void> {
    for (const change of changes) {
      if (yielder.isLong) await yielder.nextTurn()
      this.call(change)
    }
  }

  /** What `run` returns; undefined if it throws. */
  guarded<R>(run: () => R): R | undefined {
    try {
      return run()
    } catch (error) {
      this.#options.onError()
      return void this.#options.log.error(factsOf(error), 'a handler threw')
    }
  }
}
