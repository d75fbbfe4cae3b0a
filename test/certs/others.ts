/** Authorities that this script would not have made, as somebody may put one of her own into the Secret. */
import 'reflect-metadata' // the X.509 library refuses to load without it
import { BasicConstraintsExtension, PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import type { Pair } from '../../certs/authority.ts'

const KEYS = {
  RSA: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) },
  'P-384': { name: 'ECDSA', namedCurve: 'P-384' },
} as const

/** What keys they have. */
export const OTHERS = ['RSA', 'P-384'] as const

/** One of them, sound but for its key, valid for a year around `now`. */
export async function anotherAuthority(name: (typeof OTHERS)[number], now: Date): Promise<Pair> {
  const keys = await crypto.subtle.generateKey(KEYS[name], true, ['sign', 'verify'])
  const halfAYear = 183 * 86_400_000
  const root = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=somebody else',
    keys,
    signingAlgorithm: { ...KEYS[name], hash: 'SHA-256' },
    notBefore: new Date(now.getTime() - halfAYear),
    notAfter: new Date(now.getTime() + halfAYear),
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: root.toString('pem'), key: PemConverter.encode(key, 'PRIVATE KEY') }
}
