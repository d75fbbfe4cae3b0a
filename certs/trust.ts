import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { BACKDATED_MS, type Pair } from './authority.ts'

/** A kubelet gives pods a changed Secret within about two minutes; after this every pod has it. */
const EVERY_POD_HAS_IT_MS = 3_600_000

/** The certificates in `pem`, any number of them. What is none is left out: it would never verify anything. */
export const certificatesOf = (pem: string): readonly X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap((block) => {
    try {
      return new X509Certificate(block)
    } catch {
      return [] // somebody else's accident
    }
  })

interface Trusting {
  /** what signs from now on */
  readonly root: string
  /** the bundle as it is, PEM; empty for none */
  readonly present: string
  /** what is served, PEM; undefined before the first run */
  readonly leaf: string | undefined
  readonly now: Date
}

/**
 * What the API server is to trust, PEM: the root, and what it has trusted so far while a pod may serve a leaf of that.
 * So whichever leaf a pod has, its root was published before.
 */
export function bundleOf({ root, present, leaf, now }: Trusting): string {
  const [signer] = certificatesOf(root)
  const former = certificatesOf(present).filter(
    (found) => found.fingerprint256 !== signer?.fingerprint256 && found.validToDate > now,
  )
  const kept = signer && leaf !== undefined && isEverywhere(leaf, signer, now) ? [] : former
  return [root, ...kept.map((found) => found.toString())].map((pem) => `${pem.trimEnd()}\n`).join('')
}

/** Whether every pod has a leaf of `signer` by now. */
function isEverywhere(leaf: string, signer: X509Certificate, now: Date): boolean {
  const [served] = certificatesOf(leaf)
  if (!served?.verify(signer.publicKey)) return false
  return now.getTime() - served.validFromDate.getTime() - BACKDATED_MS > EVERY_POD_HAS_IT_MS
}

/** Whether less than a third of its life is left to the certificate `pem`. */
export function isOld(pem: string, now: Date): boolean {
  const [{ validFromDate, validToDate } = { validFromDate: now, validToDate: now }] = certificatesOf(pem)
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()]
  return to - now.getTime() < (to - from) / 3
}

/** Whether `cert` is a certificate authority, `key` its key, and of the one type that signs here. */
export function isAuthority({ cert, key }: Pair): boolean {
  try {
    const [found] = certificatesOf(cert)
    const signer = createPrivateKey(key)
    return found?.ca === true && found.checkPrivateKey(signer) && isP256(signer)
  } catch {
    return false // no key at all
  }
}

/** Only elliptic keys have a curve, and this is the name of P-256 in OpenSSL. */
const isP256 = ({ asymmetricKeyDetails }: KeyObject): boolean => asymmetricKeyDetails?.namedCurve === 'prime256v1'
