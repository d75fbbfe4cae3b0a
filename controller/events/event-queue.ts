import { FairLine } from '../runtime/fair-line.ts'
import { FairSlots } from '../runtime/fair-slots.ts'
import type { RecordedEvent } from './event.ts'

/** How many Events are sent at once. A slow webhook for the Events of one namespace holds up only half of them. */
export const EVENTS_AT_ONCE = 4

/** An Event that waits until it is created, or until the count of its series is sent. */
export interface PendingEvent {
  readonly recorded: RecordedEvent
  readonly tries: number
}

/** The Events that wait to be sent. Those about one object go one after another, and the namespaces take turns. */
export class EventQueue {
  readonly #byObject = new Map<string, PendingEvent[]>()
  readonly #line = new FairLine() // objects with waiting Events of which none is being sent
  readonly #sending = new Set<string>() // objects
  readonly #slots = new FairSlots(EVENTS_AT_ONCE)
  #size = 0

  /** How many Events wait. */
  get size(): number {
    return this.#size
  }

  push(pending: PendingEvent): void {
    const { object } = pending.recorded
    const waiting = this.#byObject.get(object)
    if (waiting) waiting.push(pending)
    else this.#byObject.set(object, [pending])
    if (!waiting && !this.#sending.has(object)) this.#line.push(object)
    this.#size += 1
  }

  /** Removes and returns an Event that may be sent now. Call `sent` when that is over. */
  shift(): PendingEvent | undefined {
    const object = this.#line.shift((object) => this.#slots.mayTake(object))
    if (object === undefined) return undefined
    const [next, ...others] = this.#byObject.get(object) ?? []
    if (others.length > 0) this.#byObject.set(object, others)
    else this.#byObject.delete(object)
    this.#sending.add(object)
    this.#slots.take(object)
    this.#size -= 1
    return next
  }

  sent({ recorded: { object } }: PendingEvent): void {
    this.#sending.delete(object)
    this.#slots.giveBack(object)
    if (this.#byObject.has(object)) this.#line.push(object)
  }

  /** Drops the Events that wait. */
  clear(): void {
    this.#byObject.clear()
    this.#line.clear()
    this.#size = 0
  }
}
