/** Why a request got no verdict. A label of a metric, so words of ours only. */
export type Refusal =
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

interface Refusing {
  /** HTTP status, or the code of the denial where the review's uid is known */
  readonly status: number
  readonly why: Refusal
  /** the uid of the review, where it could be seen without parsing */
  readonly uid?: string | undefined
}

/** A request that is answered without looking into its object. */
export class Refused extends Error {
  readonly status: number
  readonly why: Refusal
  readonly uid: string | undefined

  constructor(message: string, { status, why, uid }: Refusing, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.why = why
    this.uid = uid
  }
}

/** Statuses with which the reader of bodies ends, in our words. */
const READER: Readonly<Record<number, { readonly why: Refusal; readonly message: string }>> = {
  400: { why: 'size', message: 'the body is not as long as was announced' },
  413: { why: 'size', message: 'the body is too large' },
  415: { why: 'contentType', message: 'the body is encoded in a way that is not served here' },
}

/** `error` as a refusal; undefined if it is a bug of ours. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  const known = READER[status]
  return known && new Refused(known.message, { status, why: known.why }, { cause: error })
}
