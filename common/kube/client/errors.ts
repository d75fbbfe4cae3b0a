import type { KubeErrorKind } from '../../api/failure.ts'

/** One of several things that the API server refused. */
export interface FailureCause {
  /** the path of a field; empty: none */
  readonly field: string
  readonly message: string
}

/** What is known about a failed request. */
export interface Failure {
  readonly kind: KubeErrorKind
  /** the message of the API server, if there is one; it may quote values of the object that was sent */
  readonly message: string
  /** HTTP status; absent without a response */
  readonly status?: number
  /** the `reason` of the `Status`, such as `AlreadyExists` */
  readonly reason?: string
  /** only with `forbidden`: `rights` for RBAC, `admission` for a quota, Pod Security or an admission policy */
  readonly forbiddenBy?: 'rights' | 'admission'
  /** only with `conflict`: `fields` if another field manager owns some, else `object` for its version or uid */
  readonly conflictOver?: 'fields' | 'object'
  readonly retryAfterMs?: number
  /** absent: the API server names none */
  readonly causes?: readonly FailureCause[]
  /** verb and path: `apply /apis/apps/v1/namespaces/shop/deployments/cart` */
  readonly attempted?: string
}

/** A failed request to the API server. */
export class KubeError extends Error implements Failure {
  override readonly name = 'KubeError'
  declare readonly kind: KubeErrorKind
  declare readonly status?: number
  declare readonly reason?: string
  declare readonly forbiddenBy?: 'rights' | 'admission'
  declare readonly conflictOver?: 'fields' | 'object'
  declare readonly retryAfterMs?: number
  declare readonly causes?: readonly FailureCause[]
  declare readonly attempted?: string

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    Object.assign(this, failure)
  }
}

/** Somebody or something that gives credentials has not. Another try would ask people once more, so there is none. */
export class LoginFailed extends Error {
  override readonly name = 'LoginFailed'
}

/** Whether the failure may end without a change by a person: the circuit breaker counts it, and Events are retried. */
export const isTransient = ({ kind }: KubeError): boolean =>
  kind === 'throttled' || kind === 'server' || kind === 'timeout' || kind === 'unreachable'

/** So many lost races in a row are no accident. */
const RACES = 4

/**
 * The level at which the `failures`-th failure in a row is logged: `level`, but `debug` for a lost race. In one, the
 * object of a write was gone or had changed, and the next try finds it as it is.
 */
export const levelOf = <Level extends string>(error: unknown, failures: number, level: Level): Level | 'debug' =>
  failures < RACES && error instanceof KubeError && isLostRace(error) ? 'debug' : level

const isLostRace = ({ kind, conflictOver }: KubeError): boolean =>
  kind === 'notFound' || kind === 'alreadyExists' || (kind === 'conflict' && conflictOver !== 'fields')

/** The facts about an error for a log. Leaves out messages that quote a rejected body, whose values may be secret. */
export function factsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof KubeError) {
    const { kind, status, reason, attempted, message } = error
    const mayQuote = kind === 'invalid' || error.forbiddenBy === 'admission'
    return { error: { kind, status, reason, attempted, ...(mayQuote ? {} : { message }) } }
  }
  return { error: error instanceof Error ? { kind: error.name, stack: error.stack } : { kind: typeof error } }
}
