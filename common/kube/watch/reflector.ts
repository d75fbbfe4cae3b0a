import { pause, type Random, type Timers } from '../../program/clock.ts'
import { type Deadline, startDeadline, unlessAborted } from '../../program/deadline.ts'
import type { Log } from '../../program/log.ts'
import { Yielder } from '../../program/yielder.ts'
import { BadLine } from '../client/body.ts'
import type { KubeClient } from '../client/client.ts'
import { KubeError } from '../client/errors.ts'
import { CatchUp } from './catch-up.ts'
import { FailureLog } from './failure-log.ts'
import { type Handler, Handlers } from './handlers.ts'
import type { Intake } from './intake.ts'
import { Presence } from './presence.ts'
import { Reconnect } from './reconnect.ts'
import { type ObjectChange, Store } from './store.ts'
import { compareVersions, Staleness } from './version.ts'
import { listAll, type View, watchFrom } from './view.ts'
import { type WatchEvent, watchEvent } from './watch-event.ts'

/** A watch without a line for this time is dead: the server sends a bookmark every 60 s. */
const SILENT_AFTER_MS = 120_000

export interface ReflectorOptions<T> extends Pick<Intake<T>, 'project'> {
  readonly client: KubeClient
  readonly view: View
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  /** how often to look for a kind that is not served; default: 30 s */
  readonly probeAbsentMs?: number
  /** instead of `probeAbsentMs`: resolves when another reflector has found the kind, which then asks for both */
  readonly untilServed?: (signal: AbortSignal) => Promise<void>
  /** called with the cause of each failed list or watch, and once when the kind is absent */
  readonly onFailure: (cause: string) => void
  /** called when a handler or the projection throws */
  readonly onHandlerError: () => void
}

/**
 * A local cache of one view of the cluster. Follows the cluster by list and watch, also after failures. It lists until
 * a list succeeds, then watches from the version of the list, and reconnects from the last version seen. It lists again
 * when that version is no longer kept, when a line of the watch is invalid, or after several failures in a row. Objects
 * are frozen. The cache may be late, but never holds part of a list: only complete ones reach the store.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>
  readonly #log: Log
  readonly #view: View & Intake<T>
  readonly #store = new Store<T>(({ key, unread }) => this.#log.warn({ object: key, unread }, 'an object is too large'))
  readonly #yielder: Yielder
  readonly #catchUp: CatchUp
  readonly #reconnect: Reconnect
  readonly #failureLog: FailureLog
  readonly #staleness = new Staleness()
  readonly #handlers: Handlers<T>
  readonly #stopping = new AbortController()
  readonly #synced = Promise.withResolvers<void>()
  #running: Promise<void> | undefined
  #hasSynced = false
  #version: string | undefined // the newest one seen
  #mustList = true
  readonly presence = new Presence() // for those who wait until the server serves the kind
  #connection: Deadline | undefined

  constructor(options: ReflectorOptions<T>) {
    const { view, project, timers, random, log } = options
    this.#options = options
    this.#log = log.with({ resource: view.resource.plural })
    this.#failureLog = new FailureLog({ log: this.#log, timers, onFailure: options.onFailure })
    this.#yielder = new Yielder(timers)
    const isStopped = () => this.#stopping.signal.aborted
    this.#handlers = new Handlers({ log: this.#log, onError: options.onHandlerError, isOver: isStopped })
    this.#view = { ...view, project: (object) => this.#handlers.guarded(() => project(object)) }
    const isOver = () => this.#stopping.signal.aborted || this.isAbsent
    this.#catchUp = new CatchUp({ timers, relist: () => this.#relist(), isOver })
    this.#reconnect = new Reconnect(random)
    this.#synced.promise.catch(() => undefined) // no unhandled rejection if nobody waits
  }

  /** Whether the first list is in the store, or the kind is known to be absent. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** Whether the server does not serve the kind at present. */
  get isAbsent(): boolean {
    return this.#hasSynced && this.#version === undefined
  }

  /** Milliseconds since the last answer; undefined while the kind is absent. */
  get silentMs(): number | undefined {
    return this.isAbsent ? undefined : this.#failureLog.silentMs
  }

  /** How many objects there are, also those that the projection does not keep. */
  get size(): number {
    return this.#store.size
  }

  /** The object with the key `namespace/name`. */
  get(key: string): T | undefined {
    return this.#store.get(key)
  }

  list(): readonly T[] {
    return this.#store.list()
  }

  /** Calls `handler` for every later change, in order and after the store has changed. Logs what it throws. */
  subscribe(handler: Handler<T>): () => void {
    return this.#handlers.add(handler)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends list, watch and waits. After it has resolved, no handler is called. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#synced.reject(new Error('the reflector was stopped before it had synced'))
    this.#catchUp.release()
    await this.#running
  }

  /** Resolves after the first list. @throws the reason of `signal`; Error if the reflector is stopped before */
  synced(signal?: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced.promise, signal)
  }

  /**
   * Resolves when the reflector has seen `version`, which a write has returned. Also resolves when `signal` aborts,
   * after `stop`, and if the version can never come (the kind is absent, or etcd was restored).
   */
  caughtUp(version: string, signal?: AbortSignal): Promise<void> {
    return this.#catchUp.until(() => compareVersions(this.#version ?? '0', version) >= 0, signal)
  }

  /** Resolves when the object with that uid is gone or being deleted, and otherwise as `caughtUp` does. */
  caughtUpDeletion(key: string, uid: string, signal?: AbortSignal): Promise<void> {
    return this.#catchUp.until(() => this.#store.isGoneOrDeleting(key, uid), signal)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const version = this.#mustList ? undefined : this.#version
      const turn = version === undefined ? this.#list(signal) : this.#watch(version)
      const delayMs = await turn.catch((error: unknown) => this.#fail(error))
      if (delayMs > 0) await pause(this.#options.timers, delayMs, signal)
      if (this.isAbsent) await this.#options.untilServed?.(signal)
    }
  }

  /** Lists once, and takes the list only as a whole. Resolves to the milliseconds to wait. */
  async #list(signal: AbortSignal): Promise<number> {
    const { version, arrivals } = await listAll(this.#options.client, this.#view, signal, this.#yielder)
    if (signal.aborted) return 0
    const staleness = this.#staleness.check(version, this.#version)
    if (staleness === 'stale') throw new KubeError({ kind: 'unreachable', message: 'the list is older than the store' })
    if (staleness === 'restored')
      this.#log.warn({ version, before: this.#version }, 'resource versions went back; assuming that etcd was restored')
    // The first watches of a new kind may end at once, and must not wait for earlier failures.
    if (this.isAbsent) this.#reconnect.kindFound()
    this.#mustList = false
    this.#version = version
    this.presence.found()
    this.#failureLog.recovered()
    await this.#handlers.callInTurns(this.#store.replace(arrivals), this.#yielder)
    this.#settle([])
    if (staleness === 'restored') this.#catchUp.release()
    return 0
  }

  /** Watches until the watch ends. Resolves to the milliseconds to wait. */
  async #watch(version: string): Promise<number> {
    const { client, view, timers, random } = this.#options
    const connection = startDeadline(timers, SILENT_AFTER_MS, this.#stopping.signal)
    this.#connection = connection
    try {
      const timeoutSeconds = 300 + Math.floor(300 * random())
      const lines = await watchFrom(client, view, { version, timeoutSeconds, signal: connection.signal })
      const openedAt = timers.now()
      await this.#follow(lines, connection).finally(() => this.#reconnect.connectionEnded(timers.now() - openedAt))
      return this.#reconnect.delayAfterWatchMs(timers.now() - openedAt)
    } finally {
      this.#connection = undefined
      connection.end()
    }
  }

  async #follow(lines: AsyncIterable<string>, connection: Deadline): Promise<void> {
    for await (const line of lines) {
      connection.restart()
      this.#take(watchEvent(line, this.#view))
    }
  }

  #take(event: WatchEvent<T>): void {
    if (event.is === 'error') throw event.error
    this.#failureLog.recovered()
    // a duplicate, or a change that the list has already contained
    if (this.#version !== undefined && compareVersions(event.version, this.#version) <= 0) return
    this.#version = event.version
    if (event.is === 'bookmark') this.#settle([])
    else this.#settle(event.is === 'deleted' ? this.#store.remove(event.arrival) : this.#store.put(event.arrival))
  }

  /** Calls handlers and ends waits after the store has changed. */
  #settle(changes: readonly ObjectChange<T>[]): void {
    this.#hasSynced = true
    for (const change of changes) this.#handlers.call(change)
    this.#synced.resolve()
    this.#catchUp.check()
  }

  /** Decides what follows a failure. Returns the milliseconds to wait. */
  #fail(error: unknown): number {
    if (this.#stopping.signal.aborted) return 0
    const kind = error instanceof BadLine ? 'badLine' : error instanceof KubeError ? error.kind : 'unreachable'
    const isDoubted = this.#failureLog.failed(kind, error)
    const delayMs = this.#reconnect.delayMs()
    if (kind === 'kindAbsent') {
      this.#empty()
      return this.#options.untilServed ? delayMs : (this.#options.probeAbsentMs ?? 30_000)
    }
    if (kind === 'gone' || kind === 'badLine' || isDoubted) this.#mustList = true
    return Math.max(delayMs, error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0)
  }

  /** Removes all objects: the server does not serve the kind. */
  #empty(): void {
    this.#mustList = true
    this.#version = undefined
    this.presence.lost()
    this.#settle(this.#store.replace([]))
    this.#catchUp.release()
  }

  #relist(): void {
    this.#mustList = true
    this.#connection?.abort(new Error('the version that a caller waits for has not come'))
  }
}
