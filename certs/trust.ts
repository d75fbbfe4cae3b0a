import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { BACKDATED_MS, type CertificatePair } from './authority.ts'

/**
 * How long, in milliseconds, former roots stay trusted beside a leaf of the new one. Pods serve a new leaf within
 * minutes; the rest of the hour is for nodes whose kubelet is late. No run waits for it: a later run drops the roots.
 */
const FORMER_ROOT_KEPT_MS = 3_600_000

/** All certificates in `pem`, each once. Other blocks are skipped, because they would never verify anything. */
export const certificatesOf = (pem: string): readonly X509Certificate[] =>
  uniqueOf(
    (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap((block) => {
      try {
        return new X509Certificate(block)
      } catch {
        return [] // not written by this script
      }
    }),
  )

/** Several webhooks of one configuration have the same roots. */
const uniqueOf = (certificates: readonly X509Certificate[]): readonly X509Certificate[] => [
  ...new Map(certificates.map((certificate) => [certificate.fingerprint256, certificate])).values(),
]

interface Trusting {
  /** the authority that signs from now on, PEM */
  readonly root: string
  /** the present bundle, PEM; empty if there is none */
  readonly present: string
  /** the served certificate, PEM; undefined before the first run */
  readonly leaf: string | undefined
  readonly now: Date
}

/**
 * What the API server should trust, in PEM: the new root, and the former roots as long as a pod may still serve a leaf
 * of theirs. So the root of every served leaf is published before the leaf.
 */
export function bundleOf({ root, present, leaf, now }: Trusting): string {
  const [signer] = certificatesOf(root)
  const former = certificatesOf(present).filter(
    (found) => found.fingerprint256 !== signer?.fingerprint256 && found.validToDate > now,
  )
  const kept = signer && leaf !== undefined && isEverywhere(leaf, signer, now) ? [] : former
  return [root, ...kept.map((found) => found.toString())].map((pem) => `${pem.trimEnd()}\n`).join('')
}

/** Whether every pod serves a leaf of `signer` by now. */
function isEverywhere(leaf: string, signer: X509Certificate, now: Date): boolean {
  const [served] = certificatesOf(leaf)
  if (!served?.verify(signer.publicKey)) return false
  return now.getTime() - served.validFromDate.getTime() - BACKDATED_MS > FORMER_ROOT_KEPT_MS
}

/** Whether less than a third of the lifetime of the certificate `pem` is left. */
export function isOld(pem: string, now: Date): boolean {
  const [{ validFromDate, validToDate } = { validFromDate: now, validToDate: now }] = certificatesOf(pem)
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()]
  return to - now.getTime() < (to - from) / 3
}

/** Whether `cert` is a certificate authority, and `key` is its key, on the curve P-256 that this script signs with. */
export function isAuthority({ cert, key }: CertificatePair): boolean {
  try {
    const [found] = certificatesOf(cert)
    const signer = createPrivateKey(key)
    return found?.ca === true && found.checkPrivateKey(signer) && isP256(signer)
  } catch {
    return false // `key` is not a key
  }
}

/** Only elliptic keys have a curve. `prime256v1` is OpenSSL's name of P-256. */
const isP256 = ({ asymmetricKeyDetails }: KeyObject): boolean => asymmetricKeyDetails?.namedCurve === 'prime256v1'
