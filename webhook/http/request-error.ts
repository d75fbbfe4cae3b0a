/** Why a request was rejected before its object was read. A label value of a metric, so a fixed list. */
export type RequestErrorReason =
  | 'bytes'
  | 'caller'
  | 'cap'
  | 'contentType'
  | 'json'
  | 'path'
  | 'review'
  | 'size'
  | 'structure'
  | 'version'

interface RequestErrorOptions {
  /** HTTP status, or the code of the denial if the uid of the review is known */
  readonly status: number
  readonly reason: RequestErrorReason
  /** the uid of the review, if it could be read without parsing the body */
  readonly uid?: string | undefined
}

/** A request that is rejected before its object is read. */
export class RequestError extends Error {
  readonly status: number
  readonly reason: RequestErrorReason
  readonly uid: string | undefined

  constructor(message: string, { status, reason, uid }: RequestErrorOptions, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.reason = reason
    this.uid = uid
  }
}

/** Messages for the statuses with which express rejects a body. */
const BODY_ERRORS: Readonly<Record<number, { readonly reason: RequestErrorReason; readonly message: string }>> = {
  400: { reason: 'size', message: 'the body does not match its Content-Length' },
  413: { reason: 'size', message: 'the body is too large' },
  415: { reason: 'contentType', message: 'the Content-Encoding is not supported; send the body uncompressed' },
}

/** `error` as a RequestError; undefined if it is neither that nor an error of reading a body, and so a bug. */
export function requestErrorOf(error: unknown): RequestError | undefined {
  if (error instanceof RequestError) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  const known = BODY_ERRORS[status]
  return known && new RequestError(known.message, { status, reason: known.reason }, { cause: error })
}
