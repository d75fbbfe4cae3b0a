import type { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import type { RequestHandler } from 'express'
import { RequestError } from './request-error.ts'

/** An entry of `DNS:a, URI:"b, c"`, as Node writes it: a name with a comma or a quote is a JSON string. */
const ALTERNATIVE = /(DNS|URI|email|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy

/** The names in a certificate: common names and subject alternative names. */
export function namesOf({ subject, subjectAltName = '' }: Pick<X509Certificate, 'subject' | 'subjectAltName'>) {
  const common = subject.split('\n').flatMap((line) => (line.startsWith('CN=') ? [line.slice(3)] : []))
  return [...common, ...[...subjectAltName.matchAll(ALTERNATIVE)].map(([, , name = '']) => name)]
}

/**
 * Accepts only certificates with one of `names`. The handshake has already rejected those not signed by `CLIENT_CA`.
 */
export const requireClientName =
  (names: readonly string[]): RequestHandler =>
  ({ socket }, _response, next) => {
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
    if (certificate && namesOf(certificate).some((name) => names.includes(name))) return next()
    const message = 'the client certificate has none of the names in CLIENT_NAMES'
    throw new RequestError(message, { status: 403, reason: 'caller' })
  }
