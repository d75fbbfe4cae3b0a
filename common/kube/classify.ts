import { at, isObject, listOr } from '../api/object.ts'
import type { Failure, KubeErrorKind, StatusCause } from './errors.ts'
import type { Asked } from './resources.ts'

/** An answer that is not the success it should be. */
export interface Answer {
  readonly status: number
  /** parsed JSON; undefined where the body was none */
  readonly body: unknown
  /** the header, seconds; a date is not understood */
  readonly retryAfter?: string
}

/** A `Status` object of the API server, as far as we read it. */
interface Status {
  readonly reason: string
  readonly message: string
  readonly causes: readonly StatusCause[]
  readonly about: { readonly name: unknown; readonly kind: unknown }
}

/**
 * What `answer` to a request for `asked` means. Pure; `kindAbsent` is a suspicion, since a load balancer without
 * back ends answers 404 as well.
 */
export function classify(answer: Answer, asked: Asked | undefined): Failure {
  const status = statusOf(answer.body)
  const kind = status ? kindOf(answer.status, status, asked) : kindOfForeign(answer.status, asked)
  const retryAfterMs = retryAfter(answer)
  return {
    kind,
    status: answer.status,
    message: status?.message || `the answer was HTTP ${answer.status} without a Status`,
    ...(status ? { reason: status.reason, causes: status.causes } : {}),
    ...(kind === 'forbidden' ? { forbiddenBy: isAboutRights(status) ? 'rights' : 'admission' } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Of an answer in the API server's own words. */
function kindOf(code: number, status: Status, asked: Asked | undefined): KubeErrorKind {
  switch (code) {
    case 403:
      return has(status, 'NamespaceTerminating') ? 'terminating' : 'forbidden'
    case 404:
      return kindOf404(status, asked)
    case 409:
      return status.reason === 'AlreadyExists' ? 'alreadyExists' : 'conflict'
    case 410:
      return 'gone'
    case 422: // apply with the uid of a replaced object: not wrong, but about another one
      return status.causes.some(({ field }) => field === 'metadata.uid') ? 'conflict' : 'invalid'
    case 429:
      return 'throttled'
    case 401:
    case 408:
      return 'unreachable'
    case 500: // apply's answer to unknown fields, wrong types and duplicate list keys has no reason
      return status.reason === '' && UNTYPED.test(status.message) ? 'invalid' : 'server'
    default:
      return code >= 500 ? 'server' : code >= 400 ? 'invalid' : 'unreachable'
  }
}

const UNTYPED = /failed to create typed patch object/

function kindOf404({ about }: Status, asked: Asked | undefined): KubeErrorKind {
  // a write into a namespace that is gone; that may bear the name of the object
  if (about.kind === 'namespaces' && asked?.plural !== 'namespaces') return 'terminating'
  return asked?.name !== undefined && about.name === asked.name ? 'notFound' : absence(asked)
}

/** Of an answer that somebody between us and the API server may have given. */
function kindOfForeign(code: number, asked: Asked | undefined): KubeErrorKind {
  if (code === 404) return absence(asked)
  if (code === 410) return 'gone'
  if (code === 413 || code === 415) return 'invalid'
  return code === 429 ? 'throttled' : 'unreachable'
}

/** The core group is never absent. */
const absence = (asked: Asked | undefined): KubeErrorKind => (asked?.group ? 'kindAbsent' : 'unreachable')

const has = ({ causes }: Status, reason: string): boolean => causes.some((cause) => cause.reason === reason)

const isAboutRights = (status: Status | undefined): boolean => /User "[^"]*" cannot /.test(status?.message ?? '')

function retryAfter({ retryAfter, body }: Answer): number | undefined {
  const seconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : at(body, 'details', 'retryAfterSeconds')
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined
}

function statusOf(body: unknown): Status | undefined {
  if (!isObject(body) || body.kind !== 'Status') return undefined
  return {
    reason: text(body.reason),
    message: text(body.message),
    causes: listOr(at(body, 'details', 'causes')).map((cause) => ({
      reason: text(at(cause, 'reason')),
      message: text(at(cause, 'message')),
      field: text(at(cause, 'field')),
    })),
    about: { name: at(body, 'details', 'name'), kind: at(body, 'details', 'kind') },
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
