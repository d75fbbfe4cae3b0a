import type { Cancel, Timers } from '../../common/program/clock.ts'
import type { EventInput } from './event.ts'

/** How long an Event waits for the next one about its object. Most forks are available by then. */
const WAIT_MS = 5_000

interface Waiting {
  readonly input: EventInput
  readonly cancel: Cancel
}

/** How an Event goes together with others about its object. */
export interface Joining {
  /** it waits a moment for the next one */
  readonly mayWait?: boolean
  /** it tells the one that waits, too */
  readonly mayJoin?: boolean
}

interface JoinedEventsOptions {
  readonly timers: Pick<Timers, 'after'>
  /** records an Event at once */
  readonly record: (input: EventInput) => void
}

/**
 * Makes one Event of two. That a fork was created waits a moment for the Event that it is available, which then tells
 * both. Before any other Event about the same object it is told at once.
 */
export class JoinedEvents {
  readonly #options: JoinedEventsOptions
  /** by the uid of the object, in the order of their times */
  readonly #waiting = new Map<string, Waiting>()

  constructor(options: JoinedEventsOptions) {
    this.#options = options
  }

  /** Records an Event, or keeps it for a moment. */
  record(input: EventInput, { mayWait = false, mayJoin = false }: Joining = {}): void {
    const { uid = '' } = input.regarding.metadata
    const waiting = this.#take(uid)
    const isJoined = mayJoin && waiting !== undefined
    if (waiting && !isJoined) this.#options.record(waiting)
    const joined = isJoined ? { ...input, note: `${waiting.note}; ${input.note}` } : input
    if (mayWait)
      this.#waiting.set(uid, { input: joined, cancel: this.#options.timers.after(WAIT_MS, () => this.#tell(uid)) })
    else this.#options.record(joined)
  }

  /** Records all that waits. */
  flush(): void {
    for (const uid of [...this.#waiting.keys()]) this.#tell(uid)
  }

  #tell(uid: string): void {
    const input = this.#take(uid)
    if (input) this.#options.record(input)
  }

  #take(uid: string): EventInput | undefined {
    const waiting = this.#waiting.get(uid)
    waiting?.cancel()
    this.#waiting.delete(uid)
    return waiting?.input
  }
}
