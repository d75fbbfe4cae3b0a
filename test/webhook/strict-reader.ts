import type { KubeErrorKind } from '../../common/api/failure.ts'
import type { KubeObject, ResourceType } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import type { KubeRequest, Query } from '../../common/kube/client/request.ts'
import { parsePath, RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'

/** Every kind that a review may read. */
const KINDS: readonly ResourceType[] = [
  ...Object.values(RESOURCES),
  ...Object.values(WORKLOAD_KINDS),
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', plural: 'replicasets' },
  { apiVersion: 'v1', kind: 'PodTemplate', plural: 'podtemplates' },
]

interface StrictOf {
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
 * An API server that holds `objects` and behaves like a real one: each object has exactly one path, selectors select,
 * items of a list have no kind, and an answer of an unexpected kind fails. An invalid request throws an unexpected
 * error. It has a diary of all requests.
 */
export function aStrictReader(objects: readonly KubeObject[], { access, instead = {} }: StrictOf = {}) {
  const requests: KubeRequest[] = []
  const request = async (asked: KubeRequest): Promise<unknown> => {
    requests.push(asked)
    const { path, expects } = asked
    const answer = path in instead ? instead[path]?.() : answerTo(asked, objects, access)
    if (expects === undefined || at(answer, 'kind') === expects) return answer
    throw new KubeError({ kind: 'unreachable', message: `somebody answered, and not with a ${expects}` })
  }
  return {
    kube: { request },
    requests,
    /** paths that were read */
    paths: () => requests.filter(({ verb }) => verb !== 'create').map(({ path }) => path),
    /** `spec` of each access review */
    reviews: () => requests.filter(({ verb }) => verb === 'create').map(({ body }) => at(body, 'spec')),
  }
}

function answerTo(asked: KubeRequest, objects: readonly KubeObject[], access: StrictOf['access']): unknown {
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
  throw new KubeError({ kind: 'notFound', message: `${path} not found`, status: 404 })
}

function listed(objects: readonly KubeObject[], path: string, query: Query): readonly object[] {
  const { labelSelector = '', fieldSelector = '' } = query
  const placed = ({ metadata: { namespace } }: KubeObject) => (namespace === undefined ? {} : { namespace })
  const isThere = (each: KubeObject) =>
    [resourcePath(typeOf(each), placed(each)), resourcePath(typeOf(each))].includes(path)
  return objects
    .filter(isThere)
    .filter(({ metadata }) => termsOf(`${labelSelector}`).every((term) => meets(term, metadata.labels?.[term.key])))
    .filter((each) => termsOf(`${fieldSelector}`).every((term) => meets(term, at(each, ...term.key.split('.')))))
    .map(({ kind: _kind, apiVersion: _version, ...item }) => item)
}

function reviewed(path: string, body: unknown, access: StrictOf['access'] = () => ({ allowed: true })): unknown {
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

/** One requirement of a selector: `app=cart`, `app in (cart,till)` or `!app`. */
interface Term {
  readonly key: string
  /** undefined: the key must be absent */
  readonly values: readonly string[] | undefined
}

const termsOf = (selector: string): readonly Term[] =>
  [...selector.matchAll(/!([^,\s]+)|([^,=\s]+)(?:=([^,]+)| in \(([^)]+)\))/g)].map(
    ([, lacking, key = '', one, several]) => {
      if (lacking !== undefined) return { key: lacking, values: undefined }
      return { key, values: one === undefined ? (several ?? '').split(',') : [one] }
    },
  )

const meets = ({ values }: Term, value: unknown): boolean =>
  values ? values.includes(`${value}`) : value === undefined
