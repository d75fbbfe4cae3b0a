import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { CertificatePair } from './server.ts'

/** Whether clients accept a certificate, or what is wrong with it. */
export type CertificateCheck =
  | { readonly is: 'usable'; readonly leaf: X509Certificate }
  | { readonly is: 'unusable'; readonly finding: string }

interface Parts {
  /** the leaf first, then its issuers */
  readonly chain: readonly X509Certificate[]
  readonly leaf: X509Certificate
  readonly pair: CertificatePair
}

/** Returns what is wrong, or undefined. An exception counts as a finding too. */
type Rule = (parts: Parts, now: Date) => string | undefined

const keyMatches: Rule = ({ leaf, pair }) =>
  leaf.checkPrivateKey(createPrivateKey(pair.key)) ? undefined : 'the key does not belong to the certificate'

// Go, and so the API server, uses no other name
const hasAlternativeName: Rule = ({ leaf }) =>
  leaf.subjectAltName ? undefined : 'the certificate has no subject alternative name'

const isInValidityPeriod: Rule = ({ chain }, now) =>
  chain.map((certificate) => dateProblem(certificate, now)).find((problem) => problem !== undefined)

const chainIsSigned: Rule = ({ chain }) => {
  const at = chain.findIndex((certificate, at) => {
    const issuer = chain[at + 1]
    return issuer !== undefined && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
  })
  return at === -1 ? undefined : `certificate ${at + 1} of ${chain.length} was not issued by the next one`
}

const openSslAccepts: Rule = ({ pair }) => {
  createSecureContext({ cert: pair.cert, key: pair.key, ca: pair.clientCa })
  return undefined
}

const isComplete: Rule = ({ chain, pair }) =>
  pair.cert.split('-----BEGIN').length - 1 === chain.length ? undefined : 'the last certificate is incomplete'

// OpenSSL skips an authority that it cannot read, and then no client would be accepted
const clientCaHasCertificate: Rule = ({ pair: { clientCa } }) =>
  clientCa === undefined || certificatesIn(clientCa).length > 0 ? undefined : 'CLIENT_CA contains no certificate'

const RULES: readonly Rule[] = [
  isComplete,
  clientCaHasCertificate,
  keyMatches,
  hasAlternativeName,
  isInValidityPeriod,
  chainIsSigned,
  openSslAccepts,
]

/** Whether clients accept `pair` at `now`. `setSecureContext` does not check: it would accept an unusable one. */
export function checkCertificate(pair: CertificatePair, now: Date): CertificateCheck {
  try {
    const chain = certificatesIn(pair.cert)
    const [leaf] = chain
    if (!leaf) return { is: 'unusable', finding: 'the file contains no certificate' }
    const findings = RULES.values().map((rule) => rule({ chain, leaf, pair }, now))
    const finding = findings.find((found) => found !== undefined)
    return finding === undefined ? { is: 'usable', leaf } : { is: 'unusable', finding }
  } catch (error) {
    return { is: 'unusable', finding: `cannot be read: ${error instanceof Error ? error.message : error}` }
  }
}

/** Why a certificate is not valid at `now`; undefined if it is. */
export function dateProblem({ validFromDate, validToDate }: X509Certificate, now: Date): string | undefined {
  if (now < validFromDate) return `not valid before ${validFromDate.toISOString()}`
  return now > validToDate ? `expired at ${validToDate.toISOString()}` : undefined
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

const certificatesIn = (pem: string): readonly X509Certificate[] =>
  [...pem.matchAll(PEM)].map(([text]) => new X509Certificate(text))
