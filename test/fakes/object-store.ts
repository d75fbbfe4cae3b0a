import type { KubeObject } from '../../common/api/object.ts'
import { at, isEqual, isObject, type JsonObject, objectOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest, KubeStream, Query } from '../../common/kube/client/request.ts'
import { mergePatch } from '../../common/override/strategic.ts'
import { APPS_V1 } from '../common/schema/openapi.ts'

const APPLIED = { manager: 'experiment-controller', operation: 'Apply' }
const SCHEMAS = '/openapi/v3/apis/apps/v1'

/** The paths of objects and lists, without their namespaces: lists of all namespaces find every object. */
const withoutNamespace = (path: string): string => path.replace(/\/namespaces\/[^/]+/, '')

/** A change of one object. */
export interface ServerEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: KubeObject
}

interface OpenWatch {
  readonly collection: string
  readonly label: unknown
  readonly emit: (line: string) => void
}

/** One requirement of a selector: `app`, `!app`, `app=cart`, `app!=cart` or `app in (cart,till)`. */
const REQUIREMENT = /(!?)([^,=!\s()]+)(?:(!?=)([^,]*)| in \(([^)]+)\))?/g

const meets = (selector: unknown, found: (key: string) => unknown): boolean =>
  [...String(selector ?? '').matchAll(REQUIREMENT)].every(([, not, key = '', operator, one, several]) => {
    const value = found(key)
    if (several !== undefined) return several.split(',').includes(`${value}`)
    if (operator === undefined) return (value !== undefined) === (not === '')
    return (value === one) === (operator === '=')
  })

/** Whether a list or a watch with the label selector `selector`, if any, has `object`. */
export const isSelected = ({ metadata }: KubeObject, selector: unknown): boolean =>
  meets(selector, (label) => new Map(Object.entries(metadata.labels ?? {})).get(label))

/** Whether a list with the field selector `selector`, if any, has `object`. */
export const isFound = (object: KubeObject, selector: unknown): boolean =>
  meets(selector, (field) => at(object, ...field.split('.')))

const isNamed = (body: unknown): body is KubeObject => typeof at(body, 'metadata', 'name') === 'string'

/** `/apis/apps/v1/namespaces/shop/deployments/cart` → `/apis/apps/v1/deployments` */
export const collectionOf = (path: string): string => withoutNamespace(path).replace(/\/[^/]+$/, '')

/**
 * An API server in memory: it lists, gets, applies, deletes and watches `objects`, by the path of each. It knows no
 * defaults.
 */
export class ObjectStore implements KubeClient {
  readonly #objects: Map<string, KubeObject>
  readonly #watches = new Set<OpenWatch>()
  #version = 100
  /** every write and live read so far: `apply /apis/…` */
  readonly diary: string[] = []
  /** every request so far, with lists: `list /apis/…` */
  readonly requests: string[] = []
  /** collections that the server refuses to list */
  readonly forbidden = new Set<string>()
  /** collections of kinds that the server does not serve */
  readonly absent = new Set<string>()
  /** collections, without a namespace, whose watches are silent: their changes are lost */
  readonly frozen = new Set<string>()
  clock: () => Date = () => new Date(0)
  /** what it makes of an applied object, and what it answers to dry runs */
  stores: (given: KubeObject) => KubeObject = (given) => given
  dryRun: (after: KubeObject) => KubeObject = (after) => after
  /** called for each change of the object at `path`, also while watches are silent */
  onEvent: (path: string, event: ServerEvent) => void = () => {}
  /** the schemas of `apps/v1` */
  schemas: { readonly hash: string; readonly document: unknown } = { hash: 'A', document: APPS_V1 }

  constructor(objects: Readonly<Record<string, KubeObject>> = {}) {
    this.#objects = new Map(Object.entries(objects))
  }

  /** The object at `path`. */
  at(path: string): KubeObject | undefined {
    return this.#objects.get(path)
  }

  /** The objects of the collection at `path`. */
  all(path: string): readonly KubeObject[] {
    return [...this.#objects].flatMap(([each, object]) => (each.startsWith(`${path}/`) ? [object] : []))
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

  /** The newest version. */
  get version(): number {
    return this.#version
  }

  get openWatches(): number {
    return this.#watches.size
  }

  /** Changes the object at `path`, as another client does it. */
  edit(path: string, change: (before: KubeObject) => KubeObject): void {
    const before = this.#objects.get(path)
    if (before) this.put(path, change(before))
  }

  /** Creates or replaces the object at `path`, as another client does. */
  put(path: string, object: KubeObject): KubeObject {
    this.#version += 1
    const before = this.#objects.get(path)
    const metadata = { uid: `uid-of-${object.metadata.name}`, ...object.metadata, resourceVersion: `${this.#version}` }
    const stored = { ...object, metadata }
    this.#objects.set(path, stored)
    this.#emit(path, before ? 'MODIFIED' : 'ADDED', stored)
    return stored
  }

  /** Deletes the object at `path`, if there is one. */
  remove(path: string): void {
    const found = this.#objects.get(path)
    if (!found) return
    this.#objects.delete(path)
    this.#version += 1
    const metadata = { ...found.metadata, resourceVersion: `${this.#version}` }
    this.#emit(path, 'DELETED', { ...found, metadata })
  }

  async request({ verb, path, query, body, expects }: KubeRequest): Promise<unknown> {
    this.requests.push(`${verb} ${path}`)
    if (path === '/openapi/v3')
      return { paths: { 'apis/apps/v1': { serverRelativeURL: `${SCHEMAS}?hash=${this.schemas.hash}` } } }
    if (path === SCHEMAS) return this.schemas.document
    if (verb === 'list') return this.#list(path, expects, query)
    this.diary.push(`${verb} ${path}`)
    if (verb === 'apply') return this.#apply(path, objectOr(body))
    if (verb === 'delete') return this.remove(path)
    if (verb === 'create' && isNamed(body)) return this.put(`${path}/${body.metadata.name}`, body)
    if (verb === 'patch' && isObject(body)) return this.#patch(path, objectOr(body) as JsonObject, query)
    const found = this.#objects.get(path)
    if (verb === 'get' && !found) throw new KubeError({ kind: 'notFound', message: `no ${path}` })
    return found ?? {}
  }

  async stream({ path, query, signal }: KubeStream): Promise<AsyncIterable<string>> {
    const lines: string[] = []
    let wake = () => {}
    const emit = (line: string) => {
      lines.push(line)
      wake()
    }
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => undefined)
    const watch = { collection: withoutNamespace(path), label: query?.labelSelector, emit }
    this.#watches.add(watch)
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

  #list(path: string, kind: string | undefined, { labelSelector, fieldSelector }: Query = {}): unknown {
    if (this.forbidden.has(path)) throw new KubeError({ kind: 'forbidden', message: `cannot list ${path}` })
    if (this.absent.has(path)) throw new KubeError({ kind: 'kindAbsent', message: `no ${path}` })
    const items = [...this.#objects].flatMap(([each, object]) => {
      const isInside = withoutNamespace(each).startsWith(`${withoutNamespace(path)}/`)
      return isInside && isSelected(object, labelSelector) && isFound(object, fieldSelector) ? [object] : []
    })
    return { kind, metadata: { resourceVersion: `${this.#version}` }, items }
  }

  /** A merge patch of a spec and finalizers, or of a status. One with an old resourceVersion is a conflict. */
  #patch(path: string, body: JsonObject, { dryRun }: Query = {}): KubeObject | undefined {
    const of = path.replace(/\/status$/, '')
    const before = this.#objects.get(of)
    if (!before) throw new KubeError({ kind: 'notFound', message: `no ${of}` })
    const version = at(body, 'metadata', 'resourceVersion')
    if (version !== undefined && version !== before.metadata.resourceVersion)
      throw new KubeError({ kind: 'conflict', message: `${path} has changed` })
    const part = of === path ? 'spec' : 'status'
    const merged = mergePatch(objectOr(before[part]) as JsonObject, objectOr(body[part]) as JsonObject)
    const { finalizers = before.metadata.finalizers } = objectOr(body.metadata) as Partial<KubeObject['metadata']>
    const metadata = { ...before.metadata, ...(finalizers === undefined ? {} : { finalizers }) }
    if (dryRun) return this.dryRun({ ...before, [part]: merged })
    const isWithout = before[part] === undefined && body[part] === undefined
    this.change(of, (object) => ({ ...object, ...(isWithout ? {} : { [part]: merged }), metadata }))
    return this.#objects.get(of)
  }

  #apply(path: string, body: object): KubeObject {
    const of = path.replace(/\/status$/, '')
    const before = this.#objects.get(of)
    if (of !== path && !before) throw new KubeError({ kind: 'notFound', message: `no ${of}` })
    const given = this.stores(body as KubeObject)
    this.#version += 1
    const isChanged = given.spec !== undefined && !isEqual(given.spec, before?.spec)
    const metadata = {
      ...before?.metadata,
      ...given.metadata,
      uid: before?.metadata.uid ?? `uid-of-${given.metadata.name}-${this.#version}`,
      generation: (before?.metadata.generation ?? 0) + (isChanged ? 1 : 0),
      labels: { ...before?.metadata.labels, ...given.metadata.labels },
      annotations: { ...before?.metadata.annotations, ...given.metadata.annotations },
      managedFields: [
        { ...APPLIED, time: this.clock().toISOString(), ...(path === of ? {} : { subresource: 'status' }) },
      ],
      resourceVersion: `${this.#version}`,
    }
    const stored: KubeObject = { ...before, ...given, metadata }
    this.#objects.set(of, stored)
    this.#emit(of, before ? 'MODIFIED' : 'ADDED', stored)
    return stored
  }

  #emit(path: string, type: ServerEvent['type'], object: KubeObject): void {
    this.onEvent(path, { type, object })
    const collection = collectionOf(path)
    if (this.frozen.has(collection)) return
    const line = JSON.stringify({ type, object })
    for (const watch of this.#watches)
      if (watch.collection === collection && isSelected(object, watch.label)) watch.emit(line)
  }
}
