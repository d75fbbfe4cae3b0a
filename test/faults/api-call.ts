import type { IncomingMessage } from 'node:http'
import { parsePath } from '../../common/kube/client/resources.ts'

/** A call that a client sends to the API server, as its path and method tell. */
export interface ApiCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** empty for a path that names no resource, such as `/apis` */
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  /** empty for a list, a watch of a list and a create */
  readonly name: string
  readonly isWatch: boolean
  /** whether it can change an object; reviews of rights and tokens do not */
  readonly isWrite: boolean
  readonly userAgent: string
}

const REVIEWS = /reviews$/

/** What `request` asks for. */
export function callOf({ method = 'GET', url = '/', headers }: IncomingMessage): ApiCall {
  const { pathname: path, searchParams: query } = new URL(url, 'https://localhost')
  const { plural: resource = '', name = '' } = parsePath(path) ?? {}
  const namespace = decodeURIComponent(/\/namespaces\/([^/]+)\/./.exec(path)?.[1] ?? '')
  const [, subresource = ''] = name ? (path.split(`/${encodeURIComponent(name)}/`) ?? []) : []
  return {
    method,
    path,
    query,
    resource,
    subresource,
    namespace,
    name,
    isWatch: query.get('watch') === 'true' || query.get('watch') === '1',
    isWrite: method !== 'GET' && !REVIEWS.test(resource),
    userAgent: headers['user-agent'] ?? '',
  }
}

/** The watch of forks asks for objects with their label, that of all others for those without it. */
export const asksForForks = ({ query }: ApiCall): boolean => query.get('labelSelector')?.startsWith('!') === false

/** An answer to a call, whole. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/**
 * `pass`: as if nobody interfered; `hang`: never answered; `reset`: the connection is closed; or this answer instead.
 */
export type Fate = 'pass' | 'hang' | 'reset' | ApiAnswer

/** `cut`: half of it is sent, then the connection is reset. */
export type AnswerFate = Fate | 'cut'

/** What a test does to calls on their way. A call that a function says nothing about passes. */
export interface Interference {
  /** before the API server gets the call */
  readonly onCall?: (call: ApiCall) => Fate | undefined | Promise<Fate | undefined>
  /** when the API server has answered, and before its caller knows; not for watches */
  readonly onAnswer?: (call: ApiCall, answer: ApiAnswer) => AnswerFate | undefined | Promise<AnswerFate | undefined>
  /** the path, with its query, that the API server is asked for instead; undefined for that of the call */
  readonly onwardPath?: (call: ApiCall) => string | undefined
  /** when the caller got the whole answer; not for watches */
  readonly onSent?: (call: ApiCall, answer: ApiAnswer) => void
  /** each line of a watch, in order; what the caller gets instead. The lines after it wait until that is known */
  readonly onLine?: (
    call: ApiCall,
    line: string,
  ) => readonly string[] | undefined | Promise<readonly string[] | undefined>
  /** when a watch is open */
  readonly onWatch?: (call: ApiCall, watch: OpenWatch) => void
}

/** A watch of a caller, from the side of the API server. */
export interface OpenWatch {
  /** Adds a line of its own. */
  readonly send: (line: string) => void
  /** Ends the answer in order. */
  readonly end: () => void
}

/** An answer of the API server that is an error. */
export const statusAnswer = (
  code: number,
  reason: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ApiAnswer => ({
  status: code,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message }),
  ),
})
