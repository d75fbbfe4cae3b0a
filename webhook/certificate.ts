import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { Pair } from './tls.ts'

/** A pair that can be served, or why not. */
export type Examined =
  | { readonly is: 'usable'; readonly leaf: X509Certificate }
  | { readonly is: 'unusable'; readonly finding: string }

interface Parts {
  /** the leaf first, then who signed it */
  readonly chain: readonly X509Certificate[]
  readonly leaf: X509Certificate
  readonly pair: Pair
}

/** What is wrong; a rule may throw, which is a finding too. */
type Rule = (parts: Parts, now: Date) => string | undefined

const keyFits: Rule = ({ leaf, pair }) =>
  leaf.checkPrivateKey(createPrivateKey(pair.key)) ? undefined : 'the key belongs to another certificate'

// Go, and so the API server, looks at nothing else
const bearsNames: Rule = ({ leaf }) => (leaf.subjectAltName ? undefined : 'it bears no subject alternative name')

const isInDate: Rule = ({ chain }, now) =>
  chain.map((certificate) => dateProblem(certificate, now)).find((problem) => problem !== undefined)

const chainHolds: Rule = ({ chain }) => {
  const at = chain.findIndex((certificate, at) => {
    const issuer = chain[at + 1]
    return issuer !== undefined && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
  })
  return at === -1 ? undefined : `certificate ${at + 1} of ${chain.length} was not issued by the next one`
}

const openSslTakesIt: Rule = ({ pair }) => {
  createSecureContext({ cert: pair.cert, key: pair.key, ca: pair.clientCa })
  return undefined
}

const isWhole: Rule = ({ chain, pair }) =>
  pair.cert.split('-----BEGIN').length - 1 === chain.length ? undefined : 'its last certificate is cut short'

// an authority that OpenSSL cannot read it leaves out, and then nobody can call
const vouches: Rule = ({ pair: { clientCa } }) =>
  clientCa === undefined || certificatesIn(clientCa).length > 0 ? undefined : 'CLIENT_CA holds no certificate'

const RULES: readonly Rule[] = [isWhole, vouches, keyFits, bearsNames, isInDate, chainHolds, openSslTakesIt]

/** Whether clients will be content with `pair` at `now`: `setSecureContext` would take a useless one and say nothing. */
export function examine(pair: Pair, now: Date): Examined {
  try {
    const chain = certificatesIn(pair.cert)
    const [leaf] = chain
    if (!leaf) return { is: 'unusable', finding: 'there is no certificate in it' }
    for (const rule of RULES) {
      const finding = rule({ chain, leaf, pair }, now)
      if (finding !== undefined) return { is: 'unusable', finding }
    }
    return { is: 'usable', leaf }
  } catch (error) {
    return { is: 'unusable', finding: `it cannot be read: ${error instanceof Error ? error.message : error}` }
  }
}

/** Why `certificate` is not valid at `now`. */
export function dateProblem({ validFromDate, validToDate }: X509Certificate, now: Date): string | undefined {
  if (now < validFromDate) return `not valid before ${validFromDate.toISOString()}`
  return now > validToDate ? `expired at ${validToDate.toISOString()}` : undefined
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

const certificatesIn = (pem: string): readonly X509Certificate[] =>
  [...pem.matchAll(PEM)].map(([text]) => new X509Certificate(text))
