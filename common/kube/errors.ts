/**
 * What a failure means to us; each kind has one reaction.
 * - `notFound`: the API server says that the very object asked for is not there. The only proof of absence.
 * - `kindAbsent`: the server does not know this kind (from `classify`: a suspicion that the client still has to confirm).
 * - `conflict`: the object is not the one, or not in the version, that we wrote about. Observe again.
 * - `alreadyExists`: a create met an object of that name.
 * - `gone`: the version or the page is no longer kept. List anew.
 * - `forbidden`: see `forbiddenBy`.
 * - `terminating`: the namespace is going or gone. Forget the key.
 * - `invalid`: the same request will never pass.
 * - `throttled`: come back later, see `retryAfterMs`.
 * - `server`: the API server says that something failed, as when somebody's webhook does.
 * - `unreachable`: no answer, or none of the API server.
 */
export type KubeErrorKind =
  | 'notFound'
  | 'kindAbsent'
  | 'conflict'
  | 'alreadyExists'
  | 'gone'
  | 'forbidden'
  | 'terminating'
  | 'invalid'
  | 'throttled'
  | 'server'
  | 'unreachable'

/** A single complaint inside a `Status`. */
export interface StatusCause {
  readonly reason: string
  readonly message: string
  readonly field: string
}

export interface Failure {
  readonly kind: KubeErrorKind
  /** the API server's own words, where there are any; may quote values of the object that was sent */
  readonly message: string
  /** HTTP status; absent when nothing was answered */
  readonly status?: number
  /** `reason` of the `Status`: `AlreadyExists` */
  readonly reason?: string
  readonly causes?: readonly StatusCause[]
  /** `rights`: RBAC; `admission`: a quota, Pod Security, a policy. Only with `forbidden`. */
  readonly forbiddenBy?: 'rights' | 'admission'
  readonly retryAfterMs?: number
  /** verb and path: `apply /apis/apps/v1/namespaces/shop/deployments/cart` */
  readonly attempted?: string
}

/** A request to the API server that failed. */
export class KubeError extends Error {
  override readonly name = 'KubeError'
  readonly kind: KubeErrorKind
  readonly status: number | undefined
  readonly reason: string | undefined
  readonly causes: readonly StatusCause[]
  readonly forbiddenBy: 'rights' | 'admission' | undefined
  readonly retryAfterMs: number | undefined
  readonly attempted: string | undefined

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.kind = failure.kind
    this.status = failure.status
    this.reason = failure.reason
    this.causes = failure.causes ?? []
    this.forbiddenBy = failure.forbiddenBy
    this.retryAfterMs = failure.retryAfterMs
    this.attempted = failure.attempted
  }
}

/** Kinds that may pass by themselves: the breaker counts them, Events are tried again. */
export const isTransient = ({ kind }: KubeError): boolean =>
  kind === 'throttled' || kind === 'server' || kind === 'unreachable'

/**
 * What a log may know of an error. Messages about a body that was refused are left out: they quote its values, which may
 * be secret.
 */
export function factsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof KubeError) {
    const { kind, status, reason, attempted, message } = error
    const mayQuote = kind === 'invalid' || error.forbiddenBy === 'admission'
    return { error: { kind, status, reason, attempted, ...(mayQuote ? {} : { message }) } }
  }
  return { error: error instanceof Error ? { kind: error.name, stack: error.stack } : { kind: typeof error } }
}
