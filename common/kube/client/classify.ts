import type { KubeErrorKind } from '../../api/failure.ts'
import { at, isObject, listOr } from '../../json/json.ts'
import type { Failure } from './errors.ts'
import type { ParsedPath } from './resources.ts'

/** A response that is not the expected success. */
export interface FailedResponse {
  readonly status: number
  /** parsed JSON; undefined if the body was not JSON */
  readonly body: unknown
  /** the header in seconds; a date is ignored */
  readonly retryAfter?: string
}

/** The fields of a `Status` object that we use. */
interface Status {
  readonly reason: string
  readonly message: string
  /** what it is about, and `causes` */
  readonly details: unknown
}

/**
 * What a failed response to a request for `requested` means. `kindAbsent` is only a suspicion, since a load balancer
 * without back ends answers 404 as well.
 */
export function classify(answer: FailedResponse, requestedPath: ParsedPath | undefined): Failure {
  const status = statusOf(answer.body)
  const kind = status ? kindOf(answer.status, status, requestedPath) : kindWithoutStatus(answer.status, requestedPath)
  const retryAfterMs = retryAfter(answer)
  return {
    kind,
    status: answer.status,
    message: status?.message || `HTTP ${answer.status} without a Status object`,
    ...(status ? { reason: status.reason } : {}),
    ...(kind === 'forbidden' ? { forbiddenBy: status && isRbacDenial(status) ? 'rights' : 'admission' } : {}),
    ...(kind === 'conflict' ? { conflictOver: isOverFields(status) ? 'fields' : 'object' } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...causesIn(status),
  }
}

/** What the API server says about each of several mistakes. */
function causesIn(status: Status | undefined): Pick<Failure, 'causes'> {
  const causes = listOr(at(status?.details, 'causes')).map((cause) => ({
    field: text(at(cause, 'field')),
    message: text(at(cause, 'message')),
  }))
  return causes.length > 0 ? { causes } : {}
}

/** The kind of a failure that the API server describes with a `Status`. */
function kindOf(code: number, status: Status, requestedPath: ParsedPath | undefined): KubeErrorKind {
  if (MISLEADING.has(code) && isWebhookDenial(status)) return 'forbidden'
  switch (code) {
    case 403:
      return hasCause(status, 'reason', 'NamespaceTerminating') ? 'terminating' : 'forbidden'
    case 404:
      return kindOf404(status, requestedPath)
    case 409:
      return status.reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict'
    case 410:
      return 'gone'
    case 422: // an apply with the uid of an object that was replaced: valid, but about another object
      return hasCause(status, 'field', 'metadata.uid') || isUnpatched(status) ? 'conflict' : 'invalid'
    case 429:
      return 'throttled'
    case 401:
    case 408:
      return 'unreachable'
    case 500: // an apply with unknown fields, wrong types or duplicate list keys; the Status has no reason
      return status.reason === '' && UNTYPED.test(status.message) ? 'invalid' : 'server'
    default:
      return code >= 500 ? 'server' : code >= 400 ? 'invalid' : 'unreachable'
  }
}

/**
 * Codes that an admission webhook may choose for a denial. They say then nothing about the object, the request or the
 * API server. For example, Crossplane answers 409 to the deletion of an object that is in use.
 */
const MISLEADING: ReadonlySet<number> = new Set([401, 404, 408, 409, 410, 429])

/** The API server begins the message of each denial by a webhook with these words. */
const isWebhookDenial = ({ message }: Status): boolean => /^admission webhook ".*?" denied the request/.test(message)

/**
 * Whether a JSON patch could not be applied: a `test` of it failed, or a path is missing, so the object is not as it
 * was read. The API server then says nothing more. A refusal of the patched object has another message.
 */
const isUnpatched = ({ reason, message }: Status): boolean =>
  reason === 'Invalid' && message === 'the server rejected our request due to an error in our request'

const UNTYPED = /failed to create typed patch object/

function kindOf404({ details }: Status, requested: ParsedPath | undefined): KubeErrorKind {
  // a write into a namespace that is gone; its name may be the name of the object
  if (at(details, 'kind') === 'namespaces' && requested?.plural !== 'namespaces') return 'terminating'
  return requested?.name !== undefined && at(details, 'name') === requested.name ? 'notFound' : absentKind(requested)
}

/** The kind of a failure without a `Status`, which may come from a proxy in front of the API server. */
function kindWithoutStatus(code: number, requested: ParsedPath | undefined): KubeErrorKind {
  if (code === 404) return absentKind(requested)
  if (code === 410) return 'gone'
  if (code === 413 || code === 415) return 'invalid'
  return code === 429 ? 'throttled' : 'unreachable'
}

/** A kind of the core group is never absent. */
const absentKind = (requested: ParsedPath | undefined): KubeErrorKind =>
  requested?.group ? 'kindAbsent' : 'unreachable'

const hasCause = ({ details }: Status, member: 'reason' | 'field', value: string): boolean =>
  listOr(at(details, 'causes')).some((cause) => at(cause, member) === value)

const isOverFields = (status: Status | undefined): boolean =>
  status !== undefined && hasCause(status, 'reason', 'FieldManagerConflict')

/** A webhook may use the same words for a rule of its own. */
const isRbacDenial = (status: Status): boolean =>
  /User "[^"]*" cannot /.test(status.message) && !isWebhookDenial(status)

/**
 * The API server asks for a few seconds. A proxy in front of it may ask for an hour after a short outage, and no cache
 * would be filled until then.
 */
const MAX_RETRY_AFTER_MS = 30_000

function retryAfter({ retryAfter, body }: FailedResponse): number | undefined {
  const seconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : at(body, 'details', 'retryAfterSeconds')
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : undefined
}

function statusOf(body: unknown): Status | undefined {
  if (!isObject(body) || body.kind !== 'Status') return undefined
  return { reason: text(body.reason), message: text(body.message), details: body.details }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
