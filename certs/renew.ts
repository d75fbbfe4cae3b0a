import { type Clock, pause, type Timers } from '../common/program/clock.ts'
import { count } from '../common/text/count.ts'
import { type CertificatePair, newAuthority, newLeaf, renewedAuthority } from './authority.ts'
import { bundleIn, type Cluster, type ClusterState, namesIn, textIn } from './cluster.ts'
import { obstacles } from './obstacles.ts'
import { type PathRenewal, renewPathSecret } from './path-secret.ts'
import { bundleOf, certificatesOf, isAuthority, isOld } from './trust.ts'

const CA_DAYS = 3_650
const LEAF_DAYS = 90
/** API servers watch the configurations. Each has a new bundle well within this time, in milliseconds. */
const PUBLISHED_MS = 5_000

/** How to renew. */
interface Renewal extends Partial<Pick<PathRenewal, 'wantsNewPath'>> {
  /** replaces the key of the authority even if it is good */
  readonly wantsNewCa: boolean
  readonly clock: Clock
  readonly timers: Timers
  /** prints a line for every step */
  readonly say: (line: string) => void
}

/**
 * Gives the webhook a new leaf in three steps: the authority, its root in both webhook configurations beside the roots
 * of leaves that are still served, and the leaf. Then it gives the API server its path. The steps are always the same
 * and in this order, so the next run completes a run that was interrupted.
 * @throws Error for an obstacle, before anything is written; KubeError if the API server refuses a write
 */
export async function renew(cluster: Cluster, renewal: Renewal): Promise<void> {
  const { clock, timers, say, wantsNewCa, wantsNewPath = false } = renewal
  const { objectNames } = cluster
  const found = await cluster.read()
  const [obstacle] = obstacles(found, objectNames)
  if (obstacle !== undefined) throw new Error(obstacle)

  const { authority, what } = await authorityFor(found, { clock, wantsNewCa })
  if (what !== 'kept') await cluster.writeSecret(objectNames.caSecret, found.ca, authority)
  say(`authority ${what}, valid until ${dayOf(authority.cert)} (Secret ${objectNames.caSecret})`)

  const leafNow = found.leaf && textIn(found.leaf, 'tls.crt')
  let isNewRoot = false
  for (const configuration of found.configurations) {
    const present = bundleIn(configuration)
    const bundle = bundleOf({ root: authority.cert, present, leaf: leafNow, now: clock() })
    isNewRoot ||= !fingerprints(present).some((known) => fingerprints(authority.cert).includes(known))
    await cluster.publish(configuration, bundle)
    const { kind, metadata } = configuration
    say(`${count(certificatesOf(bundle).length, 'root')} in ${kind} ${metadata.name}`)
  }
  if (isNewRoot && leafNow && !cluster.isDryRun) await pause(timers, PUBLISHED_MS, new AbortController().signal)

  const names = [...new Set(found.configurations.flatMap(namesIn))]
  const leaf = await newLeaf(authority, { names, clock, days: LEAF_DAYS })
  await cluster.writeSecret(objectNames.leafSecret, found.leaf, { ...leaf, ca: authority.cert })
  say(
    `leaf ${found.leaf ? 'renewed' : 'created'} for ${names.join(', ')}, valid until ${dayOf(leaf.cert)} (Secret ${objectNames.leafSecret})`,
  )
  await renewPathSecret(cluster, found, { timers, say, wantsNewPath }) // of two concurrent runs, one has failed by now
}

interface ForAuthority {
  readonly clock: Clock
  readonly wantsNewCa: boolean
}

async function authorityFor({ ca }: ClusterState, { clock, wantsNewCa }: ForAuthority) {
  const validity = { clock, days: CA_DAYS }
  if (!ca) return { what: 'created', authority: await newAuthority(validity) }
  const present: CertificatePair = { cert: textIn(ca, 'tls.crt'), key: textIn(ca, 'tls.key') }
  if (wantsNewCa || !isAuthority(present)) return { what: 'replaced', authority: await newAuthority(validity) }
  if (isOld(present.cert, clock())) return { what: 'renewed', authority: await renewedAuthority(present, validity) }
  return { what: 'kept', authority: present }
}

const fingerprints = (pem: string) => certificatesOf(pem).map(({ fingerprint256 }) => fingerprint256)

const dayOf = (pem: string): string => certificatesOf(pem)[0]?.validToDate.toISOString().slice(0, 10) ?? 'never'
