import { X509Certificate } from 'node:crypto'
import type { Failed } from '../../../common/analysis/query/window-query.ts'

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

/**
 * The certificates in `caBundle` (PEM in base64) as PEM; undefined without a bundle: those of the system are trusted.
 * Read here, since TLS would leave out what it cannot read.
 */
export function authoritiesIn(
  caBundle: string | undefined,
): { readonly is: 'authorities'; readonly pem: string | undefined } | Failed {
  if (caBundle === undefined) return { is: 'authorities', pem: undefined }
  const pem = Buffer.from(caBundle, 'base64').toString()
  const certificates = pem.match(PEM) ?? []
  const begun = pem.split('-----BEGIN CERTIFICATE-----').length - 1
  if (certificates.length === 0 || begun !== certificates.length || !certificates.every(isCertificate))
    return { is: 'failed', message: 'the caBundle has no certificates that can be read' }
  return { is: 'authorities', pem: certificates.join('\n') }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined
  } catch {
    return false
  }
}
