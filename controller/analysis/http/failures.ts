import { errors } from 'undici'
import { isObject, textOr } from '../../../common/json/json.ts'

/**
 * A request that is not sent, or an answer that is not read. Its message contains only our own words, so it may be
 * shown to users.
 */
export class RequestRefused extends Error {
  override readonly name = 'Refusal'
}

/** What codes of errors mean, in words that anybody may read. Sources: Node's documentation of errors; undici's. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_CLOSED: 'connection closed',
  UND_ERR_DESTROYED: 'connection closed',
  EHOSTUNREACH: 'address not reachable',
  ENETUNREACH: 'address not reachable',
  EADDRNOTAVAIL: 'address not reachable',
  ETIMEDOUT: 'address not reachable',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'no answer from DNS',
  CERT_HAS_EXPIRED: 'certificate expired',
  CERT_NOT_YET_VALID: 'certificate not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate of another name',
  EPROTO: 'no TLS connection',
  UND_ERR_HEADERS_OVERFLOW: 'headers too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer incomplete',
}

/** What codes of errors with these prefixes mean. */
const WORDS_OF_PREFIX: Readonly<Record<string, string>> = {
  ERR_SSL_: 'no TLS connection',
  CERT_: 'certificate not trusted',
  UNABLE_TO_: 'certificate not trusted',
  SELF_SIGNED_: 'certificate not trusted',
  DEPTH_ZERO_: 'certificate not trusted',
  INVALID_CA: 'certificate not trusted',
}

/**
 * What went wrong, in our own words. It contains nothing of the message of `error`, which may have hosts, addresses and
 * parts of a body in it.
 */
export function safeErrorText(error: unknown): string {
  if (error instanceof RequestRefused) return error.message
  if (error instanceof errors.HTTPParserError) return 'answer is not HTTP' // not all have a code
  if (error instanceof AggregateError && error.errors.length > 0) return safeErrorText(error.errors[0]) // one per address
  const code = codeOf(error)
  const exact = Object.entries(WORDS).find(([known]) => known === code)
  const begun = Object.entries(WORDS_OF_PREFIX).find(([prefix]) => code.startsWith(prefix))
  const [, words = 'request failed'] = exact ?? begun ?? []
  return words
}

const codeOf = (error: unknown): string => (isObject(error) ? textOr(error.code, '') : '')
