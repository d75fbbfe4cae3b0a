import type { KubeObject } from '../api/object.ts'
import { pause, type Random, type Timers } from '../clock.ts'
import { type Deadline, startDeadline, unlessAborted } from '../deadline.ts'
import type { Log } from '../log.ts'
import { CatchUp } from './catch-up.ts'
import type { KubeClient } from './client.ts'
import { Complaints } from './complaints.ts'
import { factsOf, KubeError } from './errors.ts'
import { BadLine } from './lines.ts'
import { Reconnect } from './reconnect.ts'
import { Staleness } from './staleness.ts'
import { type Change, Store } from './store.ts'
import { compareVersions } from './version.ts'
import { listAll, type View, watchFrom } from './view.ts'
import { type WatchEvent, watchEvent } from './watch-event.ts'

/** A watch without a line for so long is dead: the server sends a bookmark every 60 s. */
const SILENT_AFTER_MS = 120_000
/** A watch that lived so long ended in peace, and the next opens at once. */
const PEACEFUL_AFTER_MS = 5_000
/** After so many failures in a row the version itself is suspect. */
const RELIST_AFTER_FAILURES = 5

export type Handler<T> = (change: Change<T>) => void

export interface ReflectorOptions<T> {
  readonly client: KubeClient
  readonly view: View
  /** what is kept of an object; undefined: nothing, as if it were not there. Must not keep what it does not need */
  readonly project: (object: KubeObject) => T | undefined
  readonly timers: Timers
  readonly random: Random
  readonly log: Log
  /** how often a kind that is not served is asked for, its CRD may come; default 30 s */
  readonly probeAbsentMs?: number
}

/**
 * A copy of one view of the cluster that follows it by list and watch, whatever befalls the connection.
 *
 * It lists, until a list succeeds; then it watches from the list's version, reconnecting from the last version seen. It
 * lists anew when that version is no longer kept, when the stream cannot be trusted, or when reconnecting fails again and
 * again. Objects are frozen. What is here may be late, never torn: a partial list does not reach the store.
 */
export class Reflector<T> {
  readonly #options: ReflectorOptions<T>
  readonly #log: Log
  readonly #store: Store<T>
  readonly #catchUp: CatchUp
  readonly #reconnect: Reconnect
  readonly #complaints: Complaints
  readonly #staleness = new Staleness()
  readonly #handlers = new Set<Handler<T>>()
  readonly #stopping = new AbortController()
  readonly #synced = Promise.withResolvers<void>()
  #running: Promise<void> | undefined
  #hasSynced = false
  #version: string | undefined // the newest seen
  #mustList = true
  #failures = 0 // in a row
  #connection: Deadline | undefined

  constructor(options: ReflectorOptions<T>) {
    const { view, project, timers, random, log } = options
    this.#options = options
    this.#log = log.with({ resource: view.resource.plural })
    this.#complaints = new Complaints(this.#log)
    this.#store = new Store((object) => this.#guarded(() => project(object)))
    this.#catchUp = new CatchUp({ timers, relist: () => this.#relist() })
    this.#reconnect = new Reconnect(random)
    this.#synced.promise.catch(() => undefined) // whoever waits is told; nobody has to wait
  }

  /** Whether the first list is in the store, or the kind known to be absent. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /** Whether the server does not know the kind now; asked again every 30 s. */
  get isAbsent(): boolean {
    return this.#hasSynced && this.#version === undefined
  }

  /** Objects in the store, projected or not. */
  get size(): number {
    return this.#store.size
  }

  /** By `namespace/name`. */
  get(key: string): T | undefined {
    return this.#store.get(key)
  }

  list(): readonly T[] {
    return this.#store.list()
  }

  /** Tells `handler` of every change from now on, in order; by then the store has it. What it throws is logged. */
  subscribe(handler: Handler<T>): () => void {
    this.#handlers.add(handler)
    return () => this.#handlers.delete(handler)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Ends list, watch and waits. Once it resolves no handler is called any more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#synced.reject(new Error('the reflector was stopped before it had synced'))
    this.#catchUp.release()
    await this.#running
  }

  /** Resolves with the first sync. @throws the reason of `signal`; Error if stopped before. */
  synced(signal?: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced.promise, signal)
  }

  /**
   * Resolves once this has seen `version`, which a write returned; also on `signal`, on `stop`, and where it can never
   * come (kind absent, etcd restored).
   */
  caughtUp(version: string, signal?: AbortSignal): Promise<void> {
    return this.#catchUp.until(() => this.#hasReached(version), signal)
  }

  /** Resolves once the object of that uid is gone from here or marked as deleted; else as `caughtUp`. */
  caughtUpDeletion(key: string, uid: string, signal?: AbortSignal): Promise<void> {
    return this.#catchUp.until(() => this.#stopping.signal.aborted || this.#store.isLeaving(key, uid), signal)
  }

  #hasReached(version: string): boolean {
    if (this.#stopping.signal.aborted) return true
    return this.#version !== undefined && compareVersions(this.#version, version) >= 0
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const version = this.#mustList ? undefined : this.#version
      const turn = version === undefined ? this.#list(signal) : this.#watch(version)
      const delayMs = await turn.catch((error: unknown) => this.#fail(error))
      if (delayMs > 0) await pause(this.#options.timers, delayMs, signal)
    }
  }

  /** One list, whole or not at all. Resolves to the milliseconds to wait. */
  async #list(signal: AbortSignal): Promise<number> {
    const { client, view } = this.#options
    const { version, arrivals } = await listAll(client, view, signal)
    if (signal.aborted) return 0
    const judgement = this.#staleness.judge(version, this.#version)
    if (judgement === 'stale') throw new KubeError({ kind: 'unreachable', message: 'a list older than what was seen' })
    if (judgement === 'restored')
      this.#log.warn({ version, before: this.#version }, 'versions went back, taken for a restored etcd')
    this.#mustList = false
    this.#version = version
    this.#recover()
    this.#settle(this.#store.replace(arrivals))
    if (judgement === 'restored') this.#catchUp.release()
    return 0
  }

  /** One watch until it ends. Resolves to the milliseconds to wait. */
  async #watch(version: string): Promise<number> {
    const { client, view, timers, random } = this.#options
    const connection = startDeadline(timers, SILENT_AFTER_MS, this.#stopping.signal)
    this.#connection = connection
    try {
      const timeoutSeconds = 300 + Math.floor(300 * random())
      const lines = await watchFrom(client, view, { version, timeoutSeconds, signal: connection.signal })
      const openedAt = timers.now()
      await this.#follow(lines, connection).finally(() => this.#reconnect.lived(timers.now() - openedAt))
      return timers.now() - openedAt >= PEACEFUL_AFTER_MS ? 0 : this.#reconnect.delayMs()
    } finally {
      this.#connection = undefined
      connection.end()
    }
  }

  async #follow(lines: AsyncIterable<string>, connection: Deadline): Promise<void> {
    for await (const line of lines) {
      connection.restart()
      this.#take(watchEvent(line, this.#options.view))
    }
  }

  #take(event: WatchEvent): void {
    if (event.is === 'error') throw event.error
    this.#recover()
    // a duplicate, or what a list has told already
    if (this.#version !== undefined && compareVersions(event.version, this.#version) <= 0) return
    this.#version = event.version
    if (event.is === 'bookmark') this.#settle([])
    else this.#settle(event.is === 'deleted' ? this.#store.remove(event.arrival) : this.#store.put(event.arrival))
  }

  /** After the store has changed. */
  #settle(changes: readonly Change<T>[]): void {
    this.#hasSynced = true
    for (const change of changes)
      for (const handler of this.#handlers) if (!this.#stopping.signal.aborted) this.#guarded(() => handler(change))
    this.#synced.resolve()
    this.#catchUp.check()
  }

  /** What a failure is answered with. Returns the milliseconds to wait. */
  #fail(error: unknown): number {
    if (this.#stopping.signal.aborted) return 0
    const kind = error instanceof BadLine ? 'badLine' : error instanceof KubeError ? error.kind : 'unreachable'
    this.#complaints.about(kind, error)
    const delayMs = this.#reconnect.delayMs()
    if (kind === 'kindAbsent') {
      this.#empty()
      return this.#options.probeAbsentMs ?? 30_000
    }
    this.#failures += 1
    if (kind === 'gone' || kind === 'badLine' || this.#failures >= RELIST_AFTER_FAILURES) this.#mustList = true
    return Math.max(delayMs, error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0)
  }

  /** Nothing of this kind is there, and that is all there is to know. */
  #empty(): void {
    this.#mustList = true
    this.#version = undefined
    this.#settle(this.#store.replace([]))
    this.#catchUp.release()
  }

  #relist(): void {
    this.#mustList = true
    this.#connection?.cut(new Error('the version that somebody waits for did not come'))
  }

  #recover(): void {
    this.#failures = 0
    this.#complaints.over()
  }

  #guarded<R>(run: () => R): R | undefined {
    try {
      return run()
    } catch (error) {
      this.#log.error(factsOf(error), 'a handler threw')
    }
    return undefined
  }
}
