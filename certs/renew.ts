import { type Clock, pause, type Timers } from '../common/clock.ts'
import { newAuthority, newLeaf, type Pair, renewedAuthority } from './authority.ts'
import { bundleIn, type Cluster, type Found, namesIn, textIn } from './cluster.ts'
import { obstacles } from './obstacles.ts'
import { bundleOf, certificatesOf, isAuthority, isOld } from './trust.ts'

const CA_DAYS = 3_650
const LEAF_DAYS = 90
/** API servers watch the configurations: each has a new bundle well within this. */
const PUBLISHED_MS = 5_000

export interface Renewal {
  /** make a new key for the authority even though the present one is good */
  readonly wantsNewCa: boolean
  readonly clock: Clock
  readonly timers: Timers
  /** told of every step that was taken */
  readonly say: (line: string) => void
}

/**
 * Gives the webhook a new leaf, and before that all that the leaf needs: an authority, and its root in both webhook
 * configurations beside those of leaves that are still served. Always the same three steps in the same order, so
 * whatever a run that died has left behind, the next one completes it.
 * @throws Error that says what is in the way, before anything was written; KubeError for what the API server refuses
 */
export async function renew(cluster: Cluster, { clock, timers, say, wantsNewCa }: Renewal): Promise<void> {
  const { places } = cluster
  const found = await cluster.read()
  const [obstacle] = obstacles(found, places)
  if (obstacle !== undefined) throw new Error(obstacle)

  const { authority, what } = await authorityFor(found, { clock, wantsNewCa })
  if (what !== 'kept') await cluster.writeSecret(places.caSecret, found.ca, authority)
  say(`authority ${what}, until ${dayOf(authority.cert)} (Secret ${places.caSecret})`)

  const leafNow = found.leaf && textIn(found.leaf, 'tls.crt')
  let isNewRoot = false
  for (const configuration of found.configurations) {
    const present = bundleIn(configuration)
    const bundle = bundleOf({ root: authority.cert, present, leaf: leafNow, now: clock() })
    isNewRoot ||= !fingerprints(present).some((known) => fingerprints(authority.cert).includes(known))
    await cluster.publish(configuration, bundle)
    const { kind, metadata } = configuration
    say(`${plural(certificatesOf(bundle).length, 'root')} in ${kind} ${metadata.name}`)
  }
  if (isNewRoot && leafNow && !cluster.isDryRun) await pause(timers, PUBLISHED_MS, new AbortController().signal)

  const names = [...new Set(found.configurations.flatMap(namesIn))]
  const leaf = await newLeaf(authority, { names, clock, days: LEAF_DAYS })
  await cluster.writeSecret(places.leafSecret, found.leaf, { ...leaf, ca: authority.cert })
  say(
    `leaf ${found.leaf ? 'renewed' : 'made'} for ${names.join(', ')}, until ${dayOf(leaf.cert)} (Secret ${places.leafSecret})`,
  )
}

interface ForAuthority {
  readonly clock: Clock
  readonly wantsNewCa: boolean
}

async function authorityFor({ ca }: Found, { clock, wantsNewCa }: ForAuthority) {
  const validity = { clock, days: CA_DAYS }
  if (!ca) return { what: 'made', authority: await newAuthority(validity) }
  const present: Pair = { cert: textIn(ca, 'tls.crt'), key: textIn(ca, 'tls.key') }
  if (wantsNewCa || !isAuthority(present)) return { what: 'replaced', authority: await newAuthority(validity) }
  if (isOld(present.cert, clock())) return { what: 'renewed', authority: await renewedAuthority(present, validity) }
  return { what: 'kept', authority: present }
}

const fingerprints = (pem: string) => certificatesOf(pem).map(({ fingerprint256 }) => fingerprint256)

const dayOf = (pem: string): string => certificatesOf(pem)[0]?.validToDate.toISOString().slice(0, 10) ?? 'never'

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
