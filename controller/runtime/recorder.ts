import type { KubeObject } from '../../common/api/object.ts'
import type { Cancel, Clock, Random, Timers } from '../../common/clock.ts'
import { unlessAborted } from '../../common/deadline.ts'
import type { KubeClient } from '../../common/kube/client.ts'
import { factsOf, isTransient, KubeError } from '../../common/kube/errors.ts'
import { pathOf, RESOURCES } from '../../common/kube/resources.ts'
import { isWorthALine, type Log } from '../../common/log.ts'
import { eventOf, type Happening, type Reporter } from './event.ts'

/** Events kept at most; more are dropped and counted. client-go's. */
const CAPACITY = 1_000

/** How often an Event is tried, and how far apart. client-go's. */
const MAX_TRIES = 12
const RETRY_AFTER_MS = 10_000

export interface RecorderOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly reporter: Reporter
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
}

interface Pending {
  readonly event: KubeObject
  readonly tries: number
}

/** Tells users what happened to their objects, by Events; nobody waits for it, and what cannot be told in time is dropped. */
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

  /** Events that were lost: too many at once, or too long in vain. */
  get dropped(): number {
    return this.#dropped
  }

  /** Events not told yet, but for the one under way. */
  get depth(): number {
    return this.#line.length + this.#later.size
  }

  /** Queues an Event; returns at once and never throws. */
  record(happening: Happening): void {
    if (this.#stopping.signal.aborted) return
    if (this.depth >= CAPACITY) {
      this.#drop('queue full')
      return
    }
    const { reporter, clock, random } = this.#options
    // the name is made here, so that a repeat whose first try did arrive is told that it exists
    const suffix = Math.floor(random() * 2 ** 48).toString(16)
    this.#push({ event: eventOf(happening, reporter, { at: clock(), suffix }), tries: 0 })
  }

  /** Tries everything once more, at once; resolves when that is over, or after `deadlineMs`. */
  async flush(deadlineMs: number): Promise<void> {
    const limit = new AbortController()
    const cancel = this.#options.timers.after(deadlineMs, () => limit.abort())
    this.#isFlushing = true
    for (const [pending, cancelRetry] of this.#later) {
      cancelRetry()
      this.#push(pending)
    }
    this.#later.clear()
    await unlessAborted(this.#sending ?? Promise.resolve(), limit.signal).catch(() => undefined) // late: the rest is lost
    this.#isFlushing = false
    cancel()
  }

  /** Drops what is left and ends the request under way. */
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
    for (let next = this.#line.shift(); next; next = this.#line.shift()) await this.#tell(next)
    this.#sending = undefined // at once: a push a moment later must find nobody sending
  }

  async #tell({ event, tries }: Pending): Promise<void> {
    const { client, timers } = this.#options
    const { namespace = '' } = event.metadata
    try {
      const path = pathOf(RESOURCES.Event, { namespace })
      await client.request({ verb: 'create', path, body: event, signal: this.#stopping.signal })
    } catch (error) {
      if (this.#stopping.signal.aborted || isTold(error)) return
      if (!(error instanceof KubeError) || !isTransient(error)) return this.#drop('refused', error)
      const again = { event, tries: tries + 1 }
      if (again.tries >= MAX_TRIES || this.#isFlushing) return this.#drop('tried in vain', error)
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
    if (isWorthALine(this.#dropped)) this.#options.log.warn(facts, 'an Event was lost')
  }
}

/** An earlier try did arrive, or there is nobody left to be told. */
const isTold = (error: unknown): boolean =>
  error instanceof KubeError && (error.kind === 'alreadyExists' || error.kind === 'terminating')
