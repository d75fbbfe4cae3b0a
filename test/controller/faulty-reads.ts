import type { KubeRequest, KubeStream } from '../../common/kube/client/request.ts'
import type { Cancel, Timers } from '../../common/program/clock.ts'
import { unlessAborted } from '../../common/program/deadline.ts'
import { bookmark, errorEvent, kubeError } from '../common/kube/scripted-client.ts'
import { type ClusterHistory, VIEWS, type ViewName } from './cluster-history.ts'
import type { FakeApiServer } from './fake-api-server.ts'

/** How often the API server tells a quiet watch its version. */
const BOOKMARK_MS = 60_000

/** What is wrong with a list: it cannot be read, has no objects and a low version, or is the remembered one. */
export type ListFault = 'unreachable' | 'empty' | 'past'

interface Connection {
  readonly view: ViewName
  readonly lines: string[]
  wake: () => void
}

/** Resolves when there is another line to send. */
const woken = (connection: Connection): Promise<void> =>
  new Promise((resolve) => {
    connection.wake = resolve
  })

interface FaultyReadsOptions {
  readonly server: FakeApiServer
  readonly history: ClusterHistory
  readonly timers: Timers
}

/** The lists and watches of one process, which may be wrong or late. */
export class FaultyReads {
  readonly #options: FaultyReadsOptions
  readonly #connections = new Set<Connection>()
  readonly #frozen = new Set<ViewName>()
  readonly #faults = new Map<ViewName, ListFault[]>()
  /** views whose last list was wrong, and which may not be wrong again: many older lists mean a restored etcd */
  readonly #wrong = new Set<ViewName>()
  readonly #unsubscribe: () => void
  #isLosing = false
  #cancel: Cancel = () => undefined

  constructor(options: FaultyReadsOptions) {
    this.#options = options
    this.#unsubscribe = options.history.subscribe((view, line) => {
      if (!this.#isLosing) this.#send(line, [view])
    })
    this.#sendBookmarks()
  }

  /** Whether lines were lost, so that only another process can know the present for sure. */
  get hasLost(): boolean {
    return this.#isLosing
  }

  /** Holds back the lines of watches on `views`, also of those that are opened later. */
  freeze(views: readonly ViewName[]): void {
    for (const view of views) this.#frozen.add(view)
  }

  /** Sends what was held back. */
  thaw(): void {
    this.#frozen.clear()
    for (const { wake } of this.#connections) wake()
  }

  /** From now on, open watches miss what changes. */
  lose(): void {
    this.#isLosing = true
  }

  /** The next `count` lists of `view` are wrong, unless no list was right since others were wrong. */
  failLists(view: ViewName, how: ListFault, count: number): void {
    if (this.#wrong.has(view)) return
    this.#wrong.add(view)
    this.#faults.set(
      view,
      Array.from({ length: count }, () => how),
    )
  }

  /** Tells the watch on `view` that its version is too old, so that the process lists again. */
  expire(view: ViewName): void {
    this.#send(JSON.stringify(errorEvent(410)), [view])
  }

  /** Lists are right, and watches are not late any more. */
  heal(): void {
    this.#faults.clear()
    this.thaw()
  }

  /** The process is dead. */
  end(): void {
    this.#cancel()
    this.#unsubscribe()
    this.#connections.clear()
  }

  /** Answers a list of `view`. @throws KubeError */
  async list(view: ViewName, request: KubeRequest): Promise<unknown> {
    const { server, history } = this.#options
    const fault = this.#faults.get(view)?.shift()
    if (fault === undefined) this.#wrong.delete(view)
    if (fault === 'unreachable') throw kubeError('unreachable')
    if (fault === 'empty') return { kind: request.expects, metadata: { resourceVersion: '1' }, items: [] }
    return (fault === 'past' ? history.past(view) : undefined) ?? server.request(request)
  }

  /** Answers a watch on `view`: what has happened since its version, then what happens. */
  async *watch(view: ViewName, { query, signal }: KubeStream): AsyncGenerator<string> {
    const { history } = this.#options
    const from = Number(query?.resourceVersion)
    const lines = from < history.oldest ? [JSON.stringify(errorEvent(410))] : [...history.since(view, from)]
    const connection: Connection = { view, lines, wake: () => {} }
    this.#connections.add(connection)
    try {
      while (true) {
        const line = this.#frozen.has(view) ? undefined : lines.shift()
        if (line !== undefined) yield line
        else await unlessAborted(woken(connection), signal)
      }
    } finally {
      this.#connections.delete(connection)
    }
  }

  #send(line: string, views: readonly ViewName[]): void {
    for (const { view, lines, wake } of this.#connections) {
      if (!views.includes(view)) continue
      lines.push(line)
      wake()
    }
  }

  #sendBookmarks(): void {
    this.#cancel = this.#options.timers.after(BOOKMARK_MS, () => {
      this.#send(JSON.stringify(bookmark(this.#options.server.version)), VIEWS)
      this.#sendBookmarks()
    })
  }
}
