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
  | 'stalled'
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
