import type { Semaphore } from '../../program/semaphore.ts'
import { KubeError } from './errors.ts'

/** The time for a write, as in other clients. Each admission webhook of the cluster may take up to 30 s. */
const WRITE_MS = 30_000

/**
 * The HTTP method of each verb, and the time for all tries of a request together. `apply` is a server-side apply. For
 * another `patch`, `contentType` says which.
 */
export const REQUEST_VERBS = {
  get: { method: 'GET', deadlineMs: 30_000 },
  list: { method: 'GET', deadlineMs: 60_000 }, // of one page
  create: { method: 'POST', deadlineMs: WRITE_MS },
  update: { method: 'PUT', deadlineMs: WRITE_MS },
  patch: { method: 'PATCH', deadlineMs: WRITE_MS },
  apply: { method: 'PATCH', deadlineMs: WRITE_MS },
  delete: { method: 'DELETE', deadlineMs: WRITE_MS },
} as const

/**
 * The longest list that is read at once, unless the request says another limit. Such a list is of one namespace, where
 * everybody who may create objects can make it longer. 2,000 Services of usual size, or 14,000 endpoints, fit.
 */
export const MAX_LIST_BYTES = 4 * 1024 * 1024

/** What a request does. */
export type RequestVerb = keyof typeof REQUEST_VERBS

/** The parameters of a query. Undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A request to the API server, except a watch. */
export interface KubeRequest {
  readonly verb: RequestVerb
  /** from `resourcePath`, without a query */
  readonly path: string
  readonly query?: Query
  /** sent as JSON */
  readonly body?: unknown
  /** default: that of the verb */
  readonly contentType?: string
  readonly accept?: string
  /** the `kind` of a success; another kind is `unreachable`, since it cannot come from the API server */
  readonly expects?: string
  readonly signal?: AbortSignal
  /** the time for all tries together; default: that of the verb */
  readonly deadlineMs?: number
  /** of a `get`: resolves to an object that is too large with the mark `UNREAD`; default: throws `unread` */
  readonly isNameEnough?: boolean
  /** limits how many of the requests that share it are sent at once. The wait counts towards the deadline */
  readonly limit?: Semaphore
  /**
   * a response of which more is to be kept is `invalid`: what is too large in it is not kept. Default: `MAX_LIST_BYTES`
   * for a list, else no limit
   */
  readonly maxBytes?: number
  /** called with each text in a `Warning` header of an answer, also of a refusal, and once per text */
  readonly onWarning?: (text: string) => void
}

/** A request for a watch. */
export interface KubeStream extends Pick<KubeRequest, 'path' | 'query' | 'accept'> {
  /** aborts connecting and reading */
  readonly signal: AbortSignal
}

/** The parts of an HTTP request that differ from call to call. */
export interface Call {
  readonly method: (typeof REQUEST_VERBS)[RequestVerb]['method']
  /** with the query */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The HTTP request for a `KubeRequest`. @throws KubeError `invalid` if the body cannot be written as JSON */
export function callOf({ verb, path, query, body, contentType, accept }: KubeRequest): Call {
  const call = { method: REQUEST_VERBS[verb].method, path: path + queryOf(query), headers: acceptOf(accept) }
  if (body === undefined) return call
  // JSON is valid YAML, so the API server accepts it
  const type = contentType ?? (verb === 'apply' ? 'application/apply-patch+yaml' : 'application/json')
  return { ...call, headers: { ...call.headers, 'content-type': type }, body: serialized(body) }
}

/** The HTTP request for a watch. */
export const watchOf = ({ path, query, accept }: KubeStream): Call => ({
  method: 'GET',
  path: path + queryOf(query),
  headers: acceptOf(accept),
})

const acceptOf = (accept = 'application/json') => ({ accept })

/** JSON.stringify is recursive and overflows the stack at about 4,000 levels. No object of ours is that deep. */
function serialized(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (error) {
    throw new KubeError({ kind: 'invalid', message: 'the body cannot be written as JSON' }, { cause: error })
  }
}

function queryOf(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, `${value}`]))}`
}
