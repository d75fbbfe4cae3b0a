import 'reflect-metadata' // the X.509 library refuses to load without it
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const

interface Caller {
  readonly commonName: string
  readonly dnsNames?: readonly string[]
}

/** A certificate authority and client certificates that it has signed, as PEM. */
export async function aCallerAuthority() {
  const keys = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const ca = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=callers',
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [new BasicConstraintsExtension(true, 0, true)],
  })
  return {
    ca: ca.toString('pem'),
    caller: async ({ commonName, dnsNames = [] }: Caller) => {
      const own = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
      const cert = await X509CertificateGenerator.create({
        subject: [{ CN: [commonName] }],
        issuer: ca.subjectName,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: SIGNATURE,
        extensions: [
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
          ...(dnsNames.length > 0
            ? [new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns' as const, value })))]
            : []),
        ],
      })
      const key = PemConverter.encode(await crypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY')
      return { cert: cert.toString('pem'), key }
    },
  }
}
