import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import type { KubeRequest, KubeStream } from '../../common/kube/client/request.ts'
import type { Cancel, Timers } from '../../common/program/clock.ts'
import { unlessAborted } from '../../common/program/deadline.ts'
import { GROUP, PATHS } from './controller.ts'
import { collectionOf, isSelected, type ObjectStore, type ServerEvent } from './object-store.ts'
import { bookmark, errorEvent, kubeError } from './wire-by-hand.ts'

/** What a controller follows: each has a list and a watch of its own. */
export const VIEWS = ['experiments', 'forks', 'sources'] as const
/** The name of a view. */
export type ViewName = (typeof VIEWS)[number]

const WORKLOADS = '/apis/apps/v1/deployments'
const REQUESTS: Readonly<Record<ViewName, { readonly path: string; readonly labelSelector: string | undefined }>> = {
  experiments: { path: `${GROUP}/experimentdeployments`, labelSelector: undefined },
  forks: { path: WORKLOADS, labelSelector: EXPERIMENT_ID },
  sources: { path: WORKLOADS, labelSelector: `!${EXPERIMENT_ID}` },
}

/** The view that a list or a watch asks for; undefined for what the model does not disturb. */
export const viewOf = ({ path, query }: Pick<KubeStream, 'path' | 'query'>): ViewName | undefined =>
  VIEWS.find((view) => REQUESTS[view].path === path && REQUESTS[view].labelSelector === query?.labelSelector)

const isIn = (view: ViewName, path: string, object: KubeObject): boolean =>
  REQUESTS[view].path === collectionOf(path) && isSelected(object, REQUESTS[view].labelSelector)

/** A line of a watch. */
interface Line {
  readonly view: ViewName
  readonly version: number
  readonly text: string
}

/** Keeps every change of a server, and one list of each view. */
export class ClusterHistory {
  readonly #server: ObjectStore
  readonly #lines: Line[] = []
  readonly #listeners = new Set<(view: ViewName, text: string) => void>()
  readonly #past = new Map<ViewName, unknown>()
  /** the version from which watches can be resumed */
  readonly oldest: number

  constructor(server: ObjectStore) {
    this.#server = server
    this.oldest = server.version
  }

  /** Call this for each change of the server. */
  add(path: string, event: ServerEvent): void {
    const text = JSON.stringify(event)
    for (const view of VIEWS) {
      if (!isIn(view, path, event.object)) continue
      this.#lines.push({ view, version: Number(event.object.metadata.resourceVersion), text })
      for (const listener of this.#listeners) listener(view, text)
    }
  }

  /** The lines of a watch from `version`. */
  since(of: ViewName, from: number): readonly string[] {
    return this.#lines.flatMap(({ view, version, text }) => (view === of && version > from ? [text] : []))
  }

  /** Calls `listener` for each line from now on. */
  subscribe(listener: (view: ViewName, text: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Keeps the present, to answer lists with it later. */
  async remember(): Promise<void> {
    for (const view of VIEWS) {
      const { path, labelSelector } = REQUESTS[view]
      this.#past.set(view, await this.#server.request({ verb: 'list', path, query: { labelSelector } }))
    }
  }

  /** The list of `view` that was remembered last; undefined if none was. */
  past(view: ViewName): unknown {
    return this.#past.get(view)
  }
}

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
  readonly server: ObjectStore
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

/** What happens to a write. */
export type WriteFault =
  | 'none'
  | 'lost before it is stored'
  | 'lost after it is stored'
  | 'sent twice'
  | 'refused as outdated'
  | 'killed before it is stored'
  | 'killed after it is stored'

const WRITES = new Set(['apply', 'create', 'update', 'patch', 'delete'])
const DEPLOYMENTS = /\/deployments\//

/** The connection of one process, whose requests may go wrong. It keeps to versions and uids as a real server does. */
export class FaultyClient implements KubeClient {
  readonly #server: ObjectStore
  readonly #nextFault: () => WriteFault
  readonly reads: FaultyReads
  #isDead = false
  /** what it should never have asked for */
  readonly violations: string[] = []

  constructor(server: ObjectStore, reads: FaultyReads, nextFault: () => WriteFault) {
    this.#server = server
    this.reads = reads
    this.#nextFault = nextFault
  }

  /** Whether the process was killed. */
  get isDead(): boolean {
    return this.#isDead
  }

  /** No request is answered any more. */
  kill(): void {
    this.#isDead = true
    this.reads.end()
  }

  async request(request: KubeRequest): Promise<unknown> {
    if (this.#isDead) return new Promise(() => {})
    const view = viewOf(request)
    if (request.verb === 'list' && view) return this.reads.list(view, request)
    if (!WRITES.has(request.verb) || /\/events/.test(request.path)) return this.#server.request(request)
    const fault = this.#nextFault()
    if (fault === 'refused as outdated') throw kubeError('conflict')
    if (fault === 'lost before it is stored') throw kubeError('unreachable')
    if (fault === 'killed before it is stored') this.kill()
    else await this.#stored(request)
    if (fault === 'sent twice') await this.#stored(request).catch(() => undefined) // the first answer counts
    if (fault === 'killed after it is stored') this.kill()
    if (this.#isDead) return new Promise(() => {})
    if (fault === 'lost after it is stored') throw kubeError('unreachable')
    return this.#server.at(request.path.replace(/\/status$/, '')) ?? {}
  }

  async #stored(request: KubeRequest): Promise<void> {
    const { verb, path, body } = request
    const before = this.#server.at(path.replace(/\/status$/, ''))
    if (verb === 'delete') {
      const uid = at(body, 'preconditions', 'uid')
      if (uid === undefined) this.violations.push(`delete ${path} without uid`)
      if (before && before.metadata.uid !== uid) throw kubeError('conflict')
      const owner = this.#server.at(PATHS.experiment)?.metadata
      const isOwned = before?.metadata.ownerReferences?.some((each) => each.uid === owner?.uid)
      if (isOwned && !owner?.deletionTimestamp) this.violations.push(`delete ${path} of an experiment that stays`)
    } else {
      const { resourceVersion, uid } = { ...(at(body, 'metadata') as object | undefined) } as Record<string, unknown>
      if (resourceVersion !== undefined && resourceVersion !== before?.metadata.resourceVersion)
        throw kubeError(before ? 'conflict' : 'notFound')
      if (uid !== undefined && uid !== before?.metadata.uid) throw kubeError('conflict')
      if (DEPLOYMENTS.test(path) && !/-experiment-[0-9a-f]{10}$/.test(path)) this.violations.push(`${verb} ${path}`)
    }
    await this.#server.request(request)
  }

  async stream(stream: KubeStream): Promise<AsyncIterable<string>> {
    if (this.#isDead) return new Promise(() => {})
    const view = viewOf(stream)
    return view ? this.reads.watch(view, stream) : this.#server.stream(stream)
  }

  async close(): Promise<void> {}
}
