import { Agent, request } from 'undici'
import type { KubeObject } from '../common/api/object.ts'

/** A refusal of the API server. */
export class ApiError extends Error {
  readonly status: number
  /** The `Status` object, or whatever else was answered. */
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

/** How a request is sent beyond its path and body. */
interface Sent {
  readonly body?: unknown
  readonly type?: string
}

/**
 * Raw JSON by path, for tests and the demo, which know what they ask for: `T` is their word for the answer and is not
 * checked. Paths start with /api or /apis and may carry a query. Every method throws `ApiError` on a refusal.
 */
export interface Api {
  readonly get: <T = KubeObject>(path: string) => Promise<T>
  /** The `items` of a collection. */
  readonly list: <T = KubeObject>(path: string) => Promise<readonly T[]>
  /** POST to the collection's path; a text is sent as it is, for what is too deep for JSON.stringify. */
  readonly create: <T = KubeObject>(path: string, body: object | string) => Promise<T>
  /** Server-side apply to the object's path, conflicts forced, unknown fields refused. */
  readonly apply: <T = KubeObject>(path: string, body: object, fieldManager?: string) => Promise<T>
  readonly replace: <T = KubeObject>(path: string, body: object) => Promise<T>
  /** A merge patch unless `type` says otherwise. */
  readonly patch: <T = KubeObject>(path: string, body: object, type?: keyof typeof PATCH_TYPES) => Promise<T>
  /** `options` is a DeleteOptions. Resolves for what is gone already. */
  readonly delete: (path: string, options?: object) => Promise<void>
  /** Ends idle connections. */
  readonly close: () => Promise<void>
}

export interface ApiOptions {
  readonly server: string
  /** Certificate authority, PEM. */
  readonly ca: string
  readonly token: string
}

/** A client of the API server for whoever holds `token`. */
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
