import type { KubeErrorKind } from '../../common/api/failure.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest, Query } from '../../common/kube/client/request.ts'
import { parsePath, RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { isFound, isSelected } from './object-store.ts'

/** Every kind that a review, or a view, may read. */
const KINDS: readonly ResourceType[] = [
  ...Object.values(RESOURCES),
  ...Object.values(WORKLOAD_KINDS),
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' },
  { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' },
  { apiVersion: 'v1', kind: 'Event', plural: 'events' },
]

interface ReaderOf {
  /** nothing but permissions is answered */
  readonly isDown?: boolean
  /** `status` of the answer to an access review; may throw */
  readonly access?: (spec: unknown) => JsonObject
  /** the answer for a path, instead of the stored object; may throw */
  readonly instead?: Readonly<Record<string, () => unknown>>
}

/** A failing answer, for `instead`. */
export const failing = (kind: KubeErrorKind) => (): never => {
  throw new KubeError({ kind, message: `made to fail: ${kind}` })
}

/**
 * The API server of a review. It holds `objects` and behaves like a real one: each object has exactly one path,
 * selectors select, items of a list have no kind, and an answer of an unexpected kind fails. An invalid request throws
 * an unexpected error. A namespace that is not among the objects has the label of a team.
 */
export function aReader(objects: readonly KubeObject[], { access, instead = {}, isDown = false }: ReaderOf = {}) {
  const requests: KubeRequest[] = []
  const asked: string[] = []
  const reviews: unknown[] = []
  const request = async (each: KubeRequest): Promise<unknown> => {
    const { verb, path, body, expects } = each
    requests.push(each)
    if (verb === 'create') reviews.push(at(body, 'spec'))
    else asked.push(path)
    if (isDown && verb !== 'create') throw new KubeError({ kind: 'unreachable', message: 'connection refused' })
    const answer = path in instead ? instead[path]?.() : answerTo(each, objects, access)
    if (expects === undefined || at(answer, 'kind') === expects) return answer
    throw new KubeError({ kind: 'unreachable', message: `somebody answered, and not with a ${expects}` })
  }
  return {
    kube: { request },
    requests,
    /** paths that were read */
    asked,
    /** `spec` of each access review */
    reviews,
  }
}

function answerTo(asked: KubeRequest, objects: readonly KubeObject[], access: ReaderOf['access']): unknown {
  const { verb, path, query = {}, body, accept = '' } = asked
  const isOfOne = parsePath(path)?.name !== undefined
  if (verb === 'create') return reviewed(path, body, access)
  if (verb === 'get' && isOfOne) return found(objects, path)
  if (verb === 'list' && !isOfOne) {
    const items = listed(objects, path, query)
    if (!accept.includes('as=Table')) return { kind: 'List', items }
    return { kind: 'Table', rows: items.map((item) => ({ cells: [at(item, 'metadata', 'name'), '0/1'] })) }
  }
  throw new Error(`no API server is asked to ${verb} ${path}`)
}

function found(objects: readonly KubeObject[], path: string): KubeObject {
  const object = objects.find((each) => resourcePath(typeOf(each), placeOf(each)) === path)
  if (object) return object
  const [, namespace] = /^\/api\/v1\/namespaces\/([^/]+)$/.exec(path) ?? []
  if (namespace !== undefined)
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { team: 'a' } } }
  throw new KubeError({ kind: 'notFound', message: `${path} not found`, status: 404 })
}

function listed(objects: readonly KubeObject[], path: string, query: Query): readonly object[] {
  const placed = ({ metadata: { namespace } }: KubeObject) => (namespace === undefined ? {} : { namespace })
  return objects
    .filter((each) => [resourcePath(typeOf(each), placed(each)), resourcePath(typeOf(each))].includes(path))
    .filter((each) => isSelected(each, query.labelSelector) && isFound(each, query.fieldSelector))
    .map(({ kind: _kind, apiVersion: _version, ...item }) => item)
}

function reviewed(path: string, body: unknown, access: ReaderOf['access'] = () => ({ allowed: true })): unknown {
  const { SubjectAccessReview: type } = RESOURCES
  const isReview = at(body, 'kind') === type.kind && at(body, 'apiVersion') === type.apiVersion
  if (path !== resourcePath(type) || !isReview)
    throw new Error(`nothing but an access review is created, not at ${path}`)
  return { apiVersion: type.apiVersion, kind: type.kind, status: access(at(body, 'spec')) }
}

function typeOf({ apiVersion, kind }: KubeObject): ResourceType {
  const type = KINDS.find((each) => each.apiVersion === apiVersion && each.kind === kind)
  if (!type) throw new Error(`no kind ${kind} of ${apiVersion}`)
  return type
}

const placeOf = ({ metadata: { namespace, name } }: KubeObject) =>
  namespace === undefined ? { name } : { namespace, name }
