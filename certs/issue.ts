import type { Clock } from '../common/program/clock.ts'
import { newAuthority, newLeaf } from './authority.ts'

/** What to issue. Lifetimes are in days. */
export interface Issue {
  /** the DNS names and IP addresses that clients will call */
  readonly names: readonly string[]
  readonly clock: Clock
  readonly caDays?: number
  readonly leafDays?: number
}

/** A leaf and the CA that signed it, in PEM. The key of the CA is not kept: another leaf needs another CA. */
export interface Issued {
  /** the certificate that clients must trust */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** A new CA and a serving certificate for `names`. Both are valid from an hour ago, because clocks differ a little. */
export async function issue({ names, clock, caDays = 3_650, leafDays = 90 }: Issue): Promise<Issued> {
  const authority = await newAuthority({ clock, days: caDays })
  return { ca: authority.cert, ...(await newLeaf(authority, { names, clock, days: leafDays })) }
}
