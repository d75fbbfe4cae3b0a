import type { KubeErrorKind } from '../../common/api/failure.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { factsOf, isTransient, KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../common/kube/client/request.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import type { Cancel, Clock, Random, Timers } from '../../common/program/clock.ts'
import { startDeadline, unlessAborted } from '../../common/program/deadline.ts'
import { type Log, shouldLogRepetition } from '../../common/program/log.ts'
import { TimedMap } from '../memory/timed-map.ts'
import { contentOf, type EventInput, eventOf, type RecordedEvent, regardingId, seriesOf, suffixes } from './event.ts'
import { EventQueue, type PendingEvent } from './event-queue.ts'

/** The most Events that are kept; more are dropped and counted. The value of client-go. */
const CAPACITY = 1_000

/** How many times an Event is sent, and the time between two tries. The values of client-go. */
const MAX_TRIES = 12
const RETRY_AFTER_MS = 10_000

/**
 * The most Events about one object without a wait between them; then one in each interval. The values of client-go. So
 * an object that never settles does not crowd out the Events about others.
 */
const BURST = 25
const INTERVAL_MS = 300_000

/** A repetition within this time belongs to the series; a later one is a new Event. The value of client-go. */
const SERIES_ENDS_MS = 360_000
/**
 * How often the count of a long series is sent. Events expire after an hour without a write. The value of client-go.
 */
const REFRESH_MS = 1_800_000

interface RecorderOptions {
  readonly client: Pick<KubeClient, 'request'>
  /** the name of the pod or host of this process */
  readonly instance: string
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
}

/** How often it forgets series that are over, and objects about which no Event was sent for long. */
const SWEEP_MS = 60_000

/**
 * Sends Kubernetes Events. No pass waits for them, and an Event that cannot be sent in time is dropped. The same Event
 * again within six minutes makes no second object: the first one becomes a series with a count.
 */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #suffixAt: (at: Date) => string
  readonly #stopping = new AbortController()
  readonly #line = new EventQueue()
  readonly #later = new Map<PendingEvent, Cancel>()
  /** the Events in `#line`, in `#later` and in the running requests; each is there once */
  readonly #pending = new Set<RecordedEvent>()
  /** by content */
  readonly #series: TimedMap<string, RecordedEvent>
  /** by object, when its whole burst is available again */
  readonly #restoredMs: TimedMap<string, number>
  readonly #sending = new Set<Promise<void>>()
  #cancelSweep: Cancel | undefined
  #isFlushing = false
  #isPaused = false
  #dropped = 0

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#suffixAt = suffixes(options.random)
    this.#series = new TimedMap(options.timers, SERIES_ENDS_MS + 1) // one at its end belongs to it
    this.#restoredMs = new TimedMap(options.timers, INTERVAL_MS)
  }

  /** The number of Events that were dropped: refused, too many at once, or tried too often. */
  get droppedCount(): number {
    return this.#dropped
  }

  /** The number of Events that wait, without those in the running requests. */
  get pendingCount(): number {
    return this.#line.size + this.#later.size
  }

  /** The size of all that it remembers, to count repetitions and to limit the Events about an object. */
  get rememberedCount(): number {
    return this.#series.size + this.#restoredMs.size + this.#pending.size
  }

  /** Queues an Event, or counts a repetition; returns at once and never throws. */
  record(input: EventInput): void {
    if (this.#stopping.signal.aborted) return
    const at = this.#options.clock()
    const repeated = this.#series.get(contentOf(input))
    if (repeated) this.#repeat(repeated, at)
    else if (this.pendingCount >= CAPACITY) this.#drop('queue full')
    else if (!this.#mayAdd(input.regarding)) this.#drop('too many about one object')
    else this.#add(input, at)
  }

  /**
   * Sends nothing until `resume` or `flush`: the API server fails. Events still wait, and their tries are not used up.
   */
  pause(): void {
    this.#isPaused = true
  }

  /** Sends what has waited. */
  resume(): void {
    this.#isPaused = false
    this.#sendLine()
  }

  /** Sends every waiting Event once more, at once. Resolves when that is done, or after `deadlineMs`. */
  async flush(deadlineMs: number): Promise<void> {
    const limit = startDeadline(this.#options.timers, deadlineMs)
    this.#isFlushing = true
    for (const [pending, cancelRetry] of this.#later) {
      cancelRetry()
      this.#push(pending)
    }
    this.#later.clear()
    this.#sendLine()
    // after the deadline the rest is dropped by `stop`
    await unlessAborted(this.#untilSent(), limit.signal).catch(() => undefined)
    this.#isFlushing = false
    limit.end()
  }

  /** Drops the waiting Events and aborts the running requests. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the recorder stops'))
    for (const cancel of this.#later.values()) cancel()
    this.#cancelSweep?.()
    for (const all of [this.#line, this.#later, this.#pending, this.#series, this.#restoredMs]) all.clear()
    await this.#untilSent()
  }

  /** Whether one more Event about `object` may be sent. If so, it counts. */
  #mayAdd(object: KubeObject): boolean {
    const [id, now] = [regardingId(object), this.#options.timers.now()]
    const waitMs = (this.#restoredMs.get(id) ?? now) - now + INTERVAL_MS
    if (waitMs > BURST * INTERVAL_MS) return false
    this.#restoredMs.set(id, now + waitMs, waitMs)
    return true
  }

  #add(input: EventInput, lastAt: Date): void {
    const { instance, timers } = this.#options
    // The name is made once. If the first try did arrive, a repetition gets `alreadyExists` and makes no second Event.
    const event = eventOf(input, { instance, at: lastAt, suffix: this.#suffixAt(lastAt) })
    const object = `${event.metadata.namespace}/${regardingId(input.regarding)}`
    const content = contentOf(input)
    const recorded = { event, object, content, count: 1, lastAt, sentCount: 0, sentMs: timers.now() }
    this.#series.set(content, recorded)
    this.#push({ recorded, tries: 0 })
    this.#sweepLater()
  }

  #repeat(recorded: RecordedEvent, lastAt: Date): void {
    recorded.count += 1
    recorded.lastAt = lastAt
    this.#series.set(recorded.content, recorded)
    this.#sendIfDue(recorded)
  }

  /** The first repetition is sent at once, later ones every half an hour. */
  #sendIfDue(recorded: RecordedEvent): void {
    const { count, sentCount, sentMs } = recorded
    const isLate = this.#options.timers.now() - sentMs >= REFRESH_MS
    if (count > sentCount && (sentCount === 1 || isLate)) this.#sendCount(recorded)
  }

  #sendCount(recorded: RecordedEvent): void {
    if (this.#pending.has(recorded)) return // the request will have the present count
    if (this.pendingCount >= CAPACITY) this.#drop('queue full')
    else this.#push({ recorded, tries: 0 })
  }

  #push(pending: PendingEvent): void {
    this.#pending.add(pending.recorded)
    this.#line.push(pending)
    this.#sendLine()
  }

  #sendLine(): void {
    if (this.#isPaused && !this.#isFlushing) return
    for (let next = this.#line.shift(); next; next = this.#line.shift()) this.#send(next)
  }

  #send(pending: PendingEvent): void {
    const request = this.#try(pending).then(() => {
      this.#sending.delete(request)
      this.#line.sent(pending)
      this.#sendLine()
    })
    this.#sending.add(request)
  }

  /** Resolves when no request is running. */
  async #untilSent(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  async #try({ recorded, tries }: PendingEvent): Promise<void> {
    const send = recorded.sentCount === 0 ? this.#create(recorded) : this.#patch(recorded)
    try {
      recorded.sentCount = await send
      recorded.sentMs = this.#options.timers.now()
      this.#pending.delete(recorded)
      this.#sendIfDue(recorded) // it may have been repeated during the request
    } catch (error) {
      this.#failed({ recorded, tries: tries + 1 }, error)
    }
  }

  /** Returns the count that the API server has afterwards. */
  async #create({ event, count, lastAt }: RecordedEvent): Promise<number> {
    const path = resourcePath(RESOURCES.Event, { namespace: event.metadata.namespace ?? '' })
    const body = count > 1 ? { ...event, series: seriesOf(count, lastAt) } : event
    try {
      await this.#request({ verb: 'create', path, body })
      return count
    } catch (error) {
      if (isOfKind(error, 'alreadyExists')) return 1 // an earlier try did arrive, with this count or a lower one
      throw error
    }
  }

  /** Returns the count that the API server has afterwards. */
  async #patch(recorded: RecordedEvent): Promise<number> {
    const { event, count, lastAt } = recorded
    const { namespace = '', name } = event.metadata
    const path = resourcePath(RESOURCES.Event, { namespace, name })
    const body = { series: seriesOf(count, lastAt) }
    try {
      await this.#request({ verb: 'patch', path, contentType: 'application/merge-patch+json', body })
      return count
    } catch (error) {
      if (isOfKind(error, 'notFound')) return this.#create(recorded) // it expired, or somebody deleted it
      throw error
    }
  }

  #request(request: KubeRequest): Promise<unknown> {
    return this.#options.client.request({ ...request, signal: this.#stopping.signal })
  }

  #failed(again: PendingEvent, error: unknown): void {
    if (this.#stopping.signal.aborted) return
    const { recorded, tries } = again
    const mayRepeat = error instanceof KubeError && isTransient(error)
    if (mayRepeat && tries < MAX_TRIES && !this.#isFlushing) {
      const retry = () => {
        this.#later.delete(again)
        this.#push(again)
      }
      const waitMs = Math.max(RETRY_AFTER_MS, error.retryAfterMs ?? 0)
      this.#later.set(again, this.#options.timers.after(waitMs, retry))
      return
    }
    this.#pending.delete(recorded)
    this.#series.delete(recorded.content, recorded)
    // a namespace that is being deleted needs no Event
    if (!isOfKind(error, 'terminating')) this.#drop(mayRepeat ? 'tried too often' : 'refused', error)
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#options.timers.after(SWEEP_MS, () => {
      this.#cancelSweep = undefined
      this.#restoredMs.sweep()
      for (const recorded of this.#series.sweep()) if (recorded.count > recorded.sentCount) this.#sendCount(recorded)
      if (this.rememberedCount > 0) this.#sweepLater()
    })
  }

  #drop(why: string, error?: unknown): void {
    this.#dropped += 1
    const facts = { why, dropped: this.#dropped, ...(error === undefined ? {} : factsOf(error)) }
    if (shouldLogRepetition(this.#dropped)) this.#options.log.warn(facts, 'an Event was dropped')
  }
}

const isOfKind = (error: unknown, kind: KubeErrorKind): boolean => error instanceof KubeError && error.kind === kind
