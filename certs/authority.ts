import 'reflect-metadata' // the X.509 library refuses to load without it
import { createPrivateKey } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { Clock } from '../common/program/clock.ts'

const DAY_MS = 86_400_000
const ECDSA_P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const

/** Certificates are valid from this long before their creation, in milliseconds, because clocks differ a little. */
export const BACKDATED_MS = DAY_MS / 24

/** A certificate and its private key, in PEM. */
export interface CertificatePair {
  readonly cert: string
  readonly key: string
}

interface Validity {
  readonly clock: Clock
  readonly days: number
}

/** A certificate authority with a new key. */
export async function newAuthority(validity: Validity): Promise<CertificatePair> {
  const keys = await newKeys()
  return { cert: await selfSigned(keys, validity), key: await pemOf(keys.privateKey) }
}

/**
 * The same authority with a later end. Leaves that it signed verify under the new certificate, because the key is the
 * same.
 */
export async function renewedAuthority({ cert, key }: CertificatePair, validity: Validity): Promise<CertificatePair> {
  const publicKey = await new X509Certificate(cert).publicKey.export(ECDSA_P256, ['verify'])
  return { cert: await selfSigned({ publicKey, privateKey: await signerOf(key) }, validity), key }
}

/** A serving certificate with a new key, signed by `authority`. `names` are DNS names and IP addresses. */
export async function newLeaf(
  authority: CertificatePair,
  { names, ...validity }: Validity & { readonly names: readonly string[] },
): Promise<CertificatePair> {
  const { publicKey, privateKey } = await newKeys()
  const issuer = new X509Certificate(authority.cert)
  const leaf = await X509CertificateGenerator.create({
    subject: 'CN=experiment-webhook',
    issuer: issuer.subjectName,
    publicKey,
    signingKey: await signerOf(authority.key),
    signingAlgorithm: SIGNATURE,
    ...datesOf(validity),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return { cert: line(leaf.toString('pem')), key: await pemOf(privateKey) }
}

async function selfSigned(keys: CryptoKeyPair, validity: Validity): Promise<string> {
  const root = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=experiment-deployment-controller CA',
    keys,
    signingAlgorithm: SIGNATURE,
    ...datesOf(validity),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return line(root.toString('pem'))
}

function datesOf({ clock, days }: Validity) {
  const now = clock().getTime()
  return { notBefore: new Date(now - BACKDATED_MS), notAfter: new Date(now + days * DAY_MS) }
}

const newKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(ECDSA_P256, true, ['sign', 'verify'])

/** Converts the key from any PEM format, because the library accepts PKCS #8 only. */
const signerOf = (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'pkcs8',
    new Uint8Array(createPrivateKey(key).export({ type: 'pkcs8', format: 'der' })),
    ECDSA_P256,
    true,
    ['sign'],
  )

const pemOf = async (key: CryptoKey): Promise<string> =>
  line(PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY'))

const line = (pem: string): string => `${pem.trimEnd()}\n`
