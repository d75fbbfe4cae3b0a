import { X509Certificate } from 'node:crypto'
import type { ResourceType } from '../../common/api/object.ts'
import { at, textOr } from '../../common/json/json.ts'
import { text } from '../../common/view/text.ts'
import { said } from '../render/said.ts'
import { bad, type Check, type Facts, type Finding, notKnown, ok, warn } from './check.ts'
import type { Installation } from './installation.ts'
import { renewCertificate } from './remedies.ts'

const NAME = 'experiment-webhook-tls'
const SECRET: ResourceType = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' }
const CERTIFICATE: ResourceType = { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', plural: 'certificates' }

const DAY_MS = 86_400_000
/** cert-manager renews 30 days before the end. */
const WARN_MS = 21 * DAY_MS
const BAD_MS = 3 * DAY_MS

/** Whether the certificate of the webhook is valid for long enough. */
export const certificate: Check = { name: 'certificate', needs: [], look }

async function look({ cluster, installation, clock }: Facts): Promise<Finding> {
  const place = { namespace: installation.namespace, name: NAME }
  const secret = await cluster.get(SECRET, place)
  if (secret.is === 'known') return judged(endOf(at(secret.value, 'data', 'tls.crt')), clock(), installation)
  if (secret.is === 'absent')
    return installation.isByUrl
      ? ok(said`none is in the cluster: the webhook is called by its address, and has its own`)
      : bad(said`there is no Secret ${text(NAME)}`, renewCertificate(installation))
  const made = await cluster.get(CERTIFICATE, place)
  if (made.is !== 'known') return notKnown(text(secret.because))
  const end = new Date(textOr(at(made.value, 'status', 'notAfter'), ''))
  return Number.isNaN(end.getTime())
    ? bad(said`cert-manager has not issued it yet`, renewCertificate(installation))
    : judged(end, clock(), installation)
}

/** When the first certificate in a value of a Secret ends; undefined if there is none. */
function endOf(value: unknown): Date | undefined {
  try {
    return new X509Certificate(Buffer.from(textOr(value, ''), 'base64')).validToDate
  } catch {
    return undefined // no certificate is no end
  }
}

function judged(end: Date | undefined, now: Date, installation: Installation): Finding {
  const remedy = renewCertificate(installation)
  if (end === undefined) return bad(said`Secret ${text(NAME)} has no certificate`, remedy)
  const leftMs = end.getTime() - now.getTime()
  const until = text(end.toISOString())
  if (leftMs <= 0) return bad(said`it has ended at ${until}`, remedy)
  if (leftMs < BAD_MS) return bad(said`it ends in less than 3 days, at ${until}`, remedy)
  return leftMs < WARN_MS
    ? warn(said`it ends in less than 21 days, at ${until}`, remedy)
    : ok(said`valid until ${until}`)
}
