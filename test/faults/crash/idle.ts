import { isDeepStrictEqual } from 'node:util'
import type { Actor } from './actor.ts'

/** How many wait at most. Each renews its Lease every two seconds: thirty took a third of two processors. */
const MOST = 4

/** Controllers that runs have left, for other runs with the same variables: a start takes a second of a processor. */
export class IdleActors {
  readonly #actors: Actor[] = []

  /** Takes a controller with the variables `env`; undefined if none is left. */
  take(env: Actor['env']): Actor | undefined {
    const at = this.#actors.findIndex((actor) => isDeepStrictEqual(actor.env, env))
    return at < 0 ? undefined : this.#actors.splice(at, 1)[0]
  }

  /** Leaves a controller. If too many wait then, it stops the first one. @throws Error if that had ended by itself */
  async leave(actor: Actor): Promise<void> {
    this.#actors.push(actor)
    if (this.#actors.length > MOST) await this.#actors.shift()?.stop('SIGKILL')
  }

  /** Stops all. @throws Error if one had ended by itself */
  async stop(): Promise<void> {
    await Promise.all(this.#actors.splice(0).map((actor) => actor.stop('SIGKILL')))
  }
}
