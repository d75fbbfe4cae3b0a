/** A model of an API server for one kind: versions, history, compaction, pages, and connections that fail. */
import type { KubeClient } from '../../common/kube/client/client.ts'
import type { KubeRequest, KubeStream } from '../../common/kube/client/request.ts'
import { added, bookmark, cart, deleted, deploymentList, errorEvent, kubeError, modified } from './wire-by-hand.ts'

const PAGE = 2

interface Stored {
  readonly uid: string
  readonly version: number
}

/** All objects at one version. */
interface Snapshot {
  readonly version: number
  readonly objects: ReadonlyMap<string, Stored>
}

/** The server's end of a watch. */
interface Connection {
  readonly put: (line: () => IteratorResult<string>) => void
  /** nothing arrives any more, and nobody is told */
  isSilent: boolean
}

type ListFault = 'stale' | 'empty' | 'unreachable' | 'throttled'

const lineOf = (event: object | string) => (): IteratorResult<string> => ({
  done: false,
  value: typeof event === 'string' ? event : JSON.stringify(event),
})

export class ModelServer implements KubeClient {
  #objects = new Map<string, Stored>()
  #version = 10
  #uids = 0
  #history: { readonly version: number; readonly event: object }[] = []
  /** the oldest version from which the server can still replay changes */
  #oldest = 10
  #pages = new Map<string, { readonly snapshot: Snapshot; readonly from: number }>()
  #connections = new Set<Connection>()
  #past: Snapshot = { version: 10, objects: new Map() }
  #listFaults: ListFault[] = []
  #mayFailAgain = true
  #goneAs: 'answer' | 'event' = 'answer'

  /** What the server holds: `uid@version` by name. */
  get objects(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#objects].map(([name, { uid, version }]) => [name, `${uid}@${version}`]))
  }

  put(name: string): void {
    const before = this.#objects.get(name)
    this.#version += 1
    this.#uids += before ? 0 : 1
    const stored = { uid: before?.uid ?? `u${this.#uids}`, version: this.#version }
    this.#objects.set(name, stored)
    this.#happened((before ? modified : added)(cart({ name, ...stored })))
  }

  remove(name: string): void {
    const before = this.#objects.get(name)
    if (!before) return
    this.#objects.delete(name)
    this.#version += 1
    this.#happened(deleted(cart({ name, uid: before.uid, version: this.#version })))
  }

  /**
   * Forgets the history, so that only the present can be listed. What was outdated is told in an answer or an event.
   */
  compact(goneAs: 'answer' | 'event'): void {
    this.#goneAs = goneAs
    this.#oldest = this.#version
    this.#history = []
    this.#pages.clear()
  }

  /** Keeps the present for lists that are answered from the past. */
  remember(): void {
    this.#past = { version: this.#version, objects: new Map(this.#objects) }
  }

  /**
   * The next lists fail in this way, unless none was good since others failed: many older lists mean a restored etcd.
   */
  failLists(how: ListFault, count: number): void {
    if (!this.#mayFailAgain) return
    this.#mayFailAgain = false
    this.#listFaults = Array.from({ length: count }, () => how)
  }

  /** What happens to all open watches. */
  hit(how: 'close' | 'reset' | 'silence' | 'duplicate' | 'bad line' | 'bookmark' | 'error 410' | 'error 500'): void {
    for (const connection of this.#connections) {
      const last = this.#history.at(-1)?.event
      if (how === 'silence') connection.isSilent = true
      else if (how === 'close') connection.put(() => ({ done: true, value: undefined }))
      else if (how === 'reset')
        connection.put(() => {
          throw kubeError('unreachable')
        })
      else if (how === 'bad line') connection.put(lineOf('{"type":"ADDED","object":{"metadata":{"na'))
      else if (how === 'bookmark') connection.put(lineOf(bookmark(this.#version)))
      else if (how === 'duplicate') last && connection.put(lineOf(last))
      else connection.put(lineOf(errorEvent(how === 'error 410' ? 410 : 500)))
    }
  }

  heal(): void {
    this.#listFaults = []
  }

  async request({ query }: KubeRequest): Promise<unknown> {
    const token = query?.continue
    if (typeof token === 'string') {
      const page = this.#pages.get(token)
      if (!page) throw kubeError('gone')
      return this.#page(page.snapshot, page.from)
    }
    const present = { version: this.#version, objects: new Map(this.#objects) }
    switch (this.#listFaults.shift()) {
      case 'unreachable':
        throw kubeError('unreachable')
      case 'throttled':
        throw kubeError('unreachable', { retryAfterMs: 3_000 })
      case 'empty':
        return deploymentList(1, [])
      case 'stale':
        return this.#page(this.#past, 0)
      default:
        this.#mayFailAgain = true
        return this.#page(present, 0)
    }
  }

  #page(snapshot: Snapshot, from: number): unknown {
    const items = [...snapshot.objects].map(([name, stored]) => cart({ name, ...stored }))
    const token = `${snapshot.version}/${from + PAGE}`
    const isLast = from + PAGE >= items.length
    if (!isLast) this.#pages.set(token, { snapshot, from: from + PAGE })
    return deploymentList(snapshot.version, items.slice(from, from + PAGE), isLast ? {} : { continue: token })
  }

  async stream({ query, signal }: KubeStream): Promise<AsyncIterable<string>> {
    const since = Number(query?.resourceVersion)
    const isGone = since < this.#oldest
    if (isGone && this.#goneAs === 'answer') throw kubeError('gone')
    const lines = isGone
      ? [lineOf(errorEvent(410))]
      : this.#history.filter(({ version }) => version > since).map(({ event }) => lineOf(event))
    let wake = () => {}
    const put = (line: () => IteratorResult<string>) => {
      if (connection.isSilent) return
      lines.push(line)
      wake()
    }
    const connection: Connection = { put, isSilent: false }
    this.#connections.add(connection)
    signal.addEventListener('abort', () => {
      connection.isSilent = false
      put(() => {
        throw new Error('cut', { cause: signal.reason })
      })
      this.#connections.delete(connection)
    })
    const next = async (): Promise<IteratorResult<string>> => {
      while (lines.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return lines.shift()?.() ?? { done: true, value: undefined }
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: async () => this.#left(connection) }) }
  }

  #left(connection: Connection): IteratorResult<string> {
    this.#connections.delete(connection)
    return { done: true, value: undefined }
  }

  #happened(event: object): void {
    this.#history.push({ version: this.#version, event })
    for (const { put } of this.#connections) put(lineOf(event))
  }

  async close(): Promise<void> {}
}
