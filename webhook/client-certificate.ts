import type { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import type { RequestHandler } from 'express'
import { Refused } from './refused.ts'

/** `DNS:a, URI:"b, c"` as Node writes it: what has a comma or a quote is a JSON text. */
const ALTERNATIVE = /(DNS|URI|email|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/gy

/** What a certificate calls its holder: common names and subject alternative names. */
export function namesOf({ subject, subjectAltName = '' }: Pick<X509Certificate, 'subject' | 'subjectAltName'>) {
  const common = subject.split('\n').flatMap((line) => (line.startsWith('CN=') ? [line.slice(3)] : []))
  return [...common, ...[...subjectAltName.matchAll(ALTERNATIVE)].map(([, , name = '']) => name)]
}

/**
 * Lets in callers whose certificate bears one of `names`. Who has none that `CLIENT_CA` vouches for does not come this
 * far: the TLS handshake fails.
 */
export const onlyNamed =
  (names: readonly string[]): RequestHandler =>
  ({ socket }, _response, next) => {
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
    if (certificate && namesOf(certificate).some((name) => names.includes(name))) next()
    else
      throw new Refused('the certificate of the caller bears no name of CLIENT_NAMES', { status: 403, why: 'caller' })
  }
