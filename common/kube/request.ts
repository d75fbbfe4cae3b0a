import { KubeError } from './errors.ts'

/** `apply` is a server-side apply; a plain `patch` says with `contentType` which. */
export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'apply' | 'delete'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface KubeRequest {
  readonly verb: Verb
  /** from `pathOf`; without a query */
  readonly path: string
  readonly query?: Query
  /** becomes JSON */
  readonly body?: unknown
  /** default: that of the verb */
  readonly contentType?: string
  readonly accept?: string
  /** the `kind` that a success must have; another one is `unreachable`, for then somebody else answered */
  readonly expects?: string
  readonly signal?: AbortSignal
  /** for all tries together; default: reads 30 s, lists 60 s, writes 10 s */
  readonly deadlineMs?: number
  /** a longer answer is `invalid`, and never parsed; default: as long as it may be */
  readonly maxBytes?: number
}

export interface KubeStream {
  readonly path: string
  readonly query?: Query
  readonly accept?: string
  /** ends connecting and reading */
  readonly signal: AbortSignal
}

/** For all tries of a request together: a read 30 s, a page of a list 60 s, a write 10 s. */
export const DEADLINES_MS: Readonly<Record<Verb, number>> = {
  get: 30_000,
  list: 60_000,
  create: 10_000,
  update: 10_000,
  patch: 10_000,
  apply: 10_000,
  delete: 10_000,
}

/** What goes over the wire, less what every request has. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** with its query */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const METHODS = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
} as const satisfies Record<Verb, Call['method']>

/** @throws KubeError `invalid` if the body cannot be written as JSON. */
export function callOf({ verb, path, query, body, contentType, accept }: KubeRequest): Call {
  const call = { method: METHODS[verb], path: path + queryOf(query), headers: acceptOf(accept) }
  if (body === undefined) return call
  // the API server takes JSON for the YAML that it is
  const type = contentType ?? (verb === 'apply' ? 'application/apply-patch+yaml' : 'application/json')
  return { ...call, headers: { ...call.headers, 'content-type': type }, body: written(body) }
}

export const watchOf = ({ path, query, accept }: KubeStream): Call => ({
  method: 'GET',
  path: path + queryOf(query),
  headers: acceptOf(accept),
})

const acceptOf = (accept = 'application/json') => ({ accept })

/** JSON.stringify recurses: at some 4,000 levels it ends the stack. What is that deep was never ours to send. */
function written(body: unknown): string {
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
