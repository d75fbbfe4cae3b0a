/** Authorities that the script does not create, but that an admin may put into the Secret. */
import 'reflect-metadata' // the X.509 library refuses to load without it
import { BasicConstraintsExtension, PemConverter, X509CertificateGenerator } from '@peculiar/x509'
import type { CertificatePair } from '../../certs/authority.ts'

const KEYS = {
  RSA: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) },
  'P-384': { name: 'ECDSA', namedCurve: 'P-384' },
} as const

/** The types of their keys. */
export const OTHERS = ['RSA', 'P-384'] as const

/** An authority with a key of this type, valid for half a year before and after `now`. */
export async function anotherAuthority(name: (typeof OTHERS)[number], now: Date): Promise<CertificatePair> {
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
