import { Agent, request } from 'undici'
import type { KubeObject } from '../common/api/object.ts'

/** An error response of the API server. */
export class ApiError extends Error {
  readonly status: number
  /** The `Status` object, or else the body of the response. */
  readonly body: unknown

  constructor(asked: string, status: number, body: unknown) {
    const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : JSON.stringify(body)
    super(`${asked}: ${status} ${message}`)
    this.name = 'ApiError'
    this.status = status
    this.body = body
  }
}

/** The media types of patches: JSON patch, RFC 7386, strategic merge. */
const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const

/** The body of a request and its media type. */
interface Sent {
  readonly body?: unknown
  readonly type?: string
}

/**
 * Raw JSON by path, for tests and the demo. The type `T` of an answer is not checked. Paths start with /api or /apis
 * and may have a query. Every method throws `ApiError` for an error response.
 */
export interface Api {
  readonly get: <T = KubeObject>(path: string) => Promise<T>
  /** The `items` of a collection. */
  readonly list: <T = KubeObject>(path: string) => Promise<readonly T[]>
  /** POST to the path of the collection. A text is sent as it is, for bodies that are too deep for JSON.stringify. */
  readonly create: <T = KubeObject>(path: string, body: object | string) => Promise<T>
  /** Server-side apply to the path of the object. Conflicts are forced, and unknown fields are refused. */
  readonly apply: <T = KubeObject>(path: string, body: object, fieldManager?: string) => Promise<T>
  readonly replace: <T = KubeObject>(path: string, body: object) => Promise<T>
  /** A merge patch by default. */
  readonly patch: <T = KubeObject>(path: string, body: object, type?: keyof typeof PATCH_TYPES) => Promise<T>
  /** `options` is a DeleteOptions. Also resolves if the object does not exist. */
  readonly delete: (path: string, options?: object) => Promise<void>
  /** Closes idle connections. */
  readonly close: () => Promise<void>
}

/** Where the API server is, and as whom to call it. */
interface ApiOptions {
  readonly server: string
  /** Certificate authority, PEM. */
  readonly ca: string
  readonly token: string
}

/** A client of the API server that authenticates with `token`. */
export function apiOf({ server, ca, token }: ApiOptions): Api {
  const agent = new Agent({ connect: { ca }, connections: 64 })

  async function send<T>(method: string, path: string, { body, type = 'application/json' }: Sent = {}): Promise<T> {
    const answer = await request(new URL(path, server), {
      dispatcher: agent,
      method,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': type },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type']).includes('json')
    const content: unknown = isJson && text ? JSON.parse(text) : text
    if (answer.statusCode >= 400) throw new ApiError(`${method} ${path}`, answer.statusCode, content)
    return content as T
  }

  const manager = (name: string) => `fieldManager=${name}&force=true&fieldValidation=Strict`
  return {
    get: (path) => send('GET', path),
    list: async (path) => (await send<{ items: readonly never[] }>('GET', path)).items,
    create: (path, body) => send('POST', path, { body }),
    apply: (path, body, fieldManager = 'sandbox') =>
      send('PATCH', `${path}?${manager(fieldManager)}`, { body, type: 'application/apply-patch+yaml' }),
    replace: (path, body) => send('PUT', path, { body }),
    patch: (path, body, type = 'merge') => send('PATCH', path, { body, type: PATCH_TYPES[type] }),
    delete: async (path, options) => {
      try {
        await send('DELETE', path, { body: options })
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 404)) throw error
      }
    },
    close: () => agent.close(),
  }
}
