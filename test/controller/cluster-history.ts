/** The history of a cluster, from which watches are resumed and outdated lists are answered. */
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import type { KubeStream } from '../../common/kube/client/request.ts'
import { collectionOf, type FakeApiServer, isSelected, type ServerEvent } from './fake-api-server.ts'
import { GROUP } from './running.ts'

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
  readonly #server: FakeApiServer
  readonly #lines: Line[] = []
  readonly #listeners = new Set<(view: ViewName, text: string) => void>()
  readonly #past = new Map<ViewName, unknown>()
  /** the version from which watches can be resumed */
  readonly oldest: number

  constructor(server: FakeApiServer) {
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
