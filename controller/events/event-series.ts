import type { KubeObject } from '../../common/api/object.ts'
import type { Timers } from '../../common/program/clock.ts'
import type { EventInput } from './event.ts'
import { regardingId } from './event-cap.ts'

/** A repetition within this time belongs to the series; a later one is a new Event. The value of client-go. */
const SERIES_ENDS_MS = 360_000
/**
 * How often the count of a long series is sent. Events expire after an hour without a write. The value of client-go.
 */
const REFRESH_MS = 1_800_000

/** An Event that was recorded once or more often. */
export interface RecordedEvent {
  readonly event: KubeObject
  /** the object that it is about: `namespace/uid` */
  readonly object: string
  /** equal for Events with the same content */
  readonly content: string
  /** how often it was recorded */
  count: number
  lastAt: Date
  lastMs: number
  /** the count that the API server has; 0 until the Event is created */
  sentCount: number
  sentMs: number
}

/** The Events of the last minutes, to find repetitions of the same Event. */
export class EventSeries {
  readonly #timers: Pick<Timers, 'now'>
  /** by content, the one that was recorded last is the last */
  readonly #recent = new Map<string, RecordedEvent>()

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  /** The number of Events that it remembers. */
  get size(): number {
    return this.#recent.size
  }

  /** Remembers a new Event. */
  add(input: EventInput, event: KubeObject, lastAt: Date): RecordedEvent {
    const now = this.#timers.now()
    const content = contentOf(input)
    const object = `${event.metadata.namespace}/${regardingId(input.regarding)}`
    const recorded = { event, object, content, count: 1, lastAt, lastMs: now, sentCount: 0, sentMs: now }
    this.#recent.delete(content) // else it would keep the place of one that is over
    this.#recent.set(content, recorded)
    return recorded
  }

  /** Counts a repetition. Returns the Event that is repeated; undefined if it is a new one. */
  repeat(input: EventInput, lastAt: Date): RecordedEvent | undefined {
    const content = contentOf(input)
    const recorded = this.#recent.get(content)
    if (!recorded || this.#isOver(recorded)) return undefined
    this.#recent.delete(content)
    this.#recent.set(content, recorded)
    recorded.count += 1
    recorded.lastAt = lastAt
    recorded.lastMs = this.#timers.now()
    return recorded
  }

  /** Whether the count of `recorded` is to be sent now: the first repetition is, later ones every half an hour. */
  isDue({ count, sentCount, sentMs }: RecordedEvent): boolean {
    return count > sentCount && (sentCount === 1 || this.#timers.now() - sentMs >= REFRESH_MS)
  }

  /** Forgets an Event that does not exist, so that the next one with its content is a new one. */
  forget(recorded: RecordedEvent): void {
    if (this.#recent.get(recorded.content) === recorded) this.#recent.delete(recorded.content)
  }

  /** Forgets the series that are over. Returns those whose last count was not sent. */
  sweep(): readonly RecordedEvent[] {
    const unsent: RecordedEvent[] = []
    for (const [content, recorded] of this.#recent) {
      if (!this.#isOver(recorded)) break
      this.#recent.delete(content)
      if (recorded.count > recorded.sentCount) unsent.push(recorded)
    }
    return unsent
  }

  clear(): void {
    this.#recent.clear()
  }

  #isOver({ lastMs }: RecordedEvent): boolean {
    return this.#timers.now() - lastMs > SERIES_ENDS_MS
  }
}

/** The version of the object does not matter. */
const contentOf = ({ type, reason, action, note, regarding, related }: EventInput): string =>
  JSON.stringify([type, reason, action, note, regardingId(regarding), related && regardingId(related)])
