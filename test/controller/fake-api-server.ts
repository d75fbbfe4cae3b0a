import type { KubeObject } from '../../common/api/object.ts'
import { isEqual, objectOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest, KubeStream } from '../../common/kube/client/request.ts'
import { APPS_V1 } from '../common/schema/openapi.ts'

const OPENAPI: Readonly<Record<string, unknown>> = {
  '/openapi/v3': { paths: { 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=A' } } },
  '/openapi/v3/apis/apps/v1': APPS_V1,
}

/** The paths of objects and lists, without their namespaces: lists of all namespaces find every object. */
const withoutNamespace = (path: string): string => path.replace(/\/namespaces\/[^/]+/, '')

interface OpenWatch {
  readonly collection: string
  readonly emit: (line: string) => void
}

/**
 * An API server in memory: it lists, gets, applies and watches `objects`, by the path of each. It knows no defaults, no
 * conflicts and no selectors other than "has this label".
 */
export class FakeApiServer implements KubeClient {
  readonly #objects: Map<string, KubeObject>
  readonly #watches = new Set<OpenWatch>()
  #version = 100
  /** every write and live read so far: `apply /apis/…` */
  readonly diary: string[] = []
  /** collections that the server refuses to list */
  readonly forbidden = new Set<string>()
  /** collections, without a namespace, whose watches are silent: their changes are lost */
  readonly frozen = new Set<string>()

  constructor(objects: Readonly<Record<string, KubeObject>> = {}) {
    this.#objects = new Map(Object.entries(objects))
  }

  /** The object at `path`. */
  at(path: string): KubeObject | undefined {
    return this.#objects.get(path)
  }

  /** Changes the object at `path`, as another client does. A changed spec has another generation. */
  change(path: string, of: (object: KubeObject) => KubeObject): void {
    const before = this.#objects.get(path)
    if (!before) return
    const after = of(before)
    this.#version += 1
    const generation = (before.metadata.generation ?? 0) + (isEqual(before.spec, after.spec) ? 0 : 1)
    const metadata = { ...after.metadata, generation, resourceVersion: `${this.#version}` }
    this.#objects.set(path, { ...after, metadata })
    this.#emit(path, 'MODIFIED', { ...after, metadata })
  }

  /** Removes the object at `path`, as the API server does when it is deleted. */
  remove(path: string): void {
    const before = this.#objects.get(path)
    if (!before) return
    this.#objects.delete(path)
    this.#version += 1
    const metadata = { ...before.metadata, resourceVersion: `${this.#version}` }
    this.#emit(path, 'DELETED', { ...before, metadata })
  }

  get openWatches(): number {
    return this.#watches.size
  }

  async request({ verb, path, query, body, expects }: KubeRequest): Promise<unknown> {
    if (path in OPENAPI) return OPENAPI[path]
    if (verb === 'list') return this.#list(path, expects, query?.labelSelector)
    this.diary.push(`${verb} ${path}`)
    if (verb === 'apply') return this.#apply(path, objectOr(body))
    const found = this.#objects.get(path)
    if (verb === 'get' && !found) throw new KubeError({ kind: 'notFound', message: `no ${path}` })
    return found ?? {}
  }

  async stream({ path, signal }: KubeStream): Promise<AsyncIterable<string>> {
    const lines: string[] = []
    let wake = () => {}
    const emit = (line: string) => {
      lines.push(line)
      wake()
    }
    const watch = { collection: withoutNamespace(path), emit }
    this.#watches.add(watch)
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => undefined)
    signal.addEventListener('abort', () => {
      this.#watches.delete(watch)
      ended.reject(new KubeError({ kind: 'unreachable', message: 'aborted' }))
    })
    return (async function* () {
      while (true) {
        const line = lines.shift()
        if (line !== undefined) yield line
        else
          await Promise.race([
            ended.promise,
            new Promise<void>((resolve) => {
              wake = resolve
            }),
          ])
      }
    })()
  }

  async close(): Promise<void> {}

  #list(path: string, kind: string | undefined, label: unknown): unknown {
    if (this.forbidden.has(path)) throw new KubeError({ kind: 'forbidden', message: `cannot list ${path}` })
    const items = [...this.#objects].flatMap(([each, object]) => {
      const isInside = withoutNamespace(each).startsWith(`${withoutNamespace(path)}/`)
      const hasLabel = label === undefined || Object.hasOwn(object.metadata.labels ?? {}, String(label))
      return isInside && hasLabel ? [object] : []
    })
    return { kind, metadata: { resourceVersion: `${this.#version}` }, items }
  }

  #apply(path: string, body: object): KubeObject {
    const of = path.replace(/\/status$/, '')
    const before = this.#objects.get(of)
    if (of !== path && !before) throw new KubeError({ kind: 'notFound', message: `no ${of}` })
    const given = body as KubeObject
    this.#version += 1
    const isChanged = given.spec !== undefined && !isEqual(given.spec, before?.spec)
    const metadata = {
      ...before?.metadata,
      ...given.metadata,
      uid: before?.metadata.uid ?? `uid-of-${given.metadata.name}-${this.#version}`,
      generation: (before?.metadata.generation ?? 0) + (isChanged ? 1 : 0),
      labels: { ...before?.metadata.labels, ...given.metadata.labels },
      annotations: { ...before?.metadata.annotations, ...given.metadata.annotations },
      managedFields: [{ manager: 'experiment-controller', operation: 'Apply' }],
      resourceVersion: `${this.#version}`,
    }
    const stored: KubeObject = { ...before, ...given, metadata }
    this.#objects.set(of, stored)
    this.#emit(of, before ? 'MODIFIED' : 'ADDED', stored)
    return stored
  }

  #emit(path: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void {
    const collection = withoutNamespace(path).replace(/\/[^/]+$/, '')
    if (this.frozen.has(collection)) return
    const line = JSON.stringify({ type, object })
    for (const watch of this.#watches) if (watch.collection === collection) watch.emit(line)
  }
}
