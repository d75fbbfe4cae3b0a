import 'reflect-metadata' // the X.509 library refuses to load without it
import { isIP } from 'node:net'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { Clock } from '../common/clock.ts'

const DAY_MS = 86_400_000
const ECDSA_P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const

export interface Issue {
  /** DNS names and IP addresses that clients will call */
  readonly names: readonly string[]
  readonly clock: Clock
  readonly caDays?: number
  readonly leafDays?: number
}

/** PEM texts. The key of the CA is kept nowhere: whoever needs another leaf makes another CA. */
export interface Issued {
  /** what clients trust */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** A CA of its own and a serving certificate for `names`, valid from an hour ago so that clocks may differ a little. */
export async function issue({ names, clock, caDays = 3_650, leafDays = 90 }: Issue): Promise<Issued> {
  const now = clock().getTime()
  const notBefore = new Date(now - DAY_MS / 24)
  const [caKeys, leafKeys] = await Promise.all([newKeys(), newKeys()])
  const ca = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=experiment-deployment-controller CA',
    keys: caKeys,
    signingAlgorithm: SIGNATURE,
    notBefore,
    notAfter: new Date(now + caDays * DAY_MS),
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  const leaf = await X509CertificateGenerator.create({
    subject: 'CN=experiment-webhook',
    issuer: ca.subjectName,
    publicKey: leafKeys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: SIGNATURE,
    notBefore,
    notAfter: new Date(now + leafDays * DAY_MS),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  })
  const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', leafKeys.privateKey), 'PRIVATE KEY')
  return { ca: line(ca.toString('pem')), cert: line(leaf.toString('pem')), key: line(key) }
}

const newKeys = (): Promise<CryptoKeyPair> => crypto.subtle.generateKey(ECDSA_P256, true, ['sign', 'verify'])

const line = (pem: string): string => `${pem.trimEnd()}\n`
