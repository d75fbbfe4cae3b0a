import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { factsOf, isTransient, KubeError } from '../../common/kube/client/errors.ts'
import { pathOf, RESOURCES } from '../../common/kube/client/resources.ts'
import type { Cancel, Clock, Random, Timers } from '../../common/program/clock.ts'
import { startDeadline, unlessAborted } from '../../common/program/deadline.ts'
import { type Log, shouldLogRepetition } from '../../common/program/log.ts'
import { type EventInput, eventOf } from './event.ts'

/** The most Events that are kept; more are dropped and counted. The value of client-go. */
const CAPACITY = 1_000

/** How many times an Event is sent, and the time between two tries. The values of client-go. */
const MAX_TRIES = 12
const RETRY_AFTER_MS = 10_000

export interface RecorderOptions {
  readonly client: Pick<KubeClient, 'request'>
  /** the name of the pod or host of this process */
  readonly instance: string
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
}

interface Pending {
  readonly event: KubeObject
  readonly tries: number
}

/** Sends Kubernetes Events. No pass waits for them, and an Event that cannot be sent in time is dropped. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #stopping = new AbortController()
  readonly #line: Pending[] = []
  readonly #later = new Map<Pending, Cancel>()
  #sending: Promise<void> | undefined
  #isFlushing = false
  #dropped = 0

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** The number of Events that were dropped: refused, too many at once, or tried too often. */
  get droppedCount(): number {
    return this.#dropped
  }

  /** The number of Events that wait to be sent, without the one in the running request. */
  get pendingCount(): number {
    return this.#line.length + this.#later.size
  }

  /** Queues an Event; returns at once and never throws. */
  record(input: EventInput): void {
    if (this.#stopping.signal.aborted) return
    if (this.pendingCount >= CAPACITY) {
      this.#drop('queue full')
      return
    }
    const { instance, clock, random } = this.#options
    // The name is made once. If the first try did arrive, a repetition gets `alreadyExists` and makes no second Event.
    const suffix = Math.floor(random() * 2 ** 48).toString(16)
    this.#push({ event: eventOf(input, { instance, at: clock(), suffix }), tries: 0 })
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
    // after the deadline the rest is dropped by `stop`
    await unlessAborted(this.#sending ?? Promise.resolve(), limit.signal).catch(() => undefined)
    this.#isFlushing = false
    limit.end()
  }

  /** Drops the waiting Events and aborts the running request. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the recorder stops'))
    for (const cancel of this.#later.values()) cancel()
    this.#later.clear()
    this.#line.length = 0
    await this.#sending
  }

  #push(pending: Pending): void {
    this.#line.push(pending)
    this.#sending ??= this.#send()
  }

  async #send(): Promise<void> {
    for (let next = this.#line.shift(); next; next = this.#line.shift()) await this.#create(next)
    this.#sending = undefined // in the same turn as the empty line: a `#push` right after it must start to send again
  }

  async #create({ event, tries }: Pending): Promise<void> {
    const { client, timers } = this.#options
    const { namespace = '' } = event.metadata
    try {
      const path = pathOf(RESOURCES.Event, { namespace })
      await client.request({ verb: 'create', path, body: event, signal: this.#stopping.signal })
    } catch (error) {
      if (this.#stopping.signal.aborted || isDone(error)) return
      if (!(error instanceof KubeError) || !isTransient(error)) return this.#drop('refused', error)
      const again = { event, tries: tries + 1 }
      if (again.tries >= MAX_TRIES || this.#isFlushing) return this.#drop('tried too often', error)
      const retry = () => {
        this.#later.delete(again)
        this.#push(again)
      }
      this.#later.set(again, timers.after(Math.max(RETRY_AFTER_MS, error.retryAfterMs ?? 0), retry))
    }
  }

  #drop(why: string, error?: unknown): void {
    this.#dropped += 1
    const facts = { why, dropped: this.#dropped, ...(error === undefined ? {} : factsOf(error)) }
    if (shouldLogRepetition(this.#dropped)) this.#options.log.warn(facts, 'an Event was dropped')
  }
}

/** An earlier try did arrive, or the namespace is being deleted and needs no Event. */
const isDone = (error: unknown): boolean =>
  error instanceof KubeError && (error.kind === 'alreadyExists' || error.kind === 'terminating')
