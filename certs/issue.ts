import type { Clock } from '../common/clock.ts'
import { newAuthority, newLeaf } from './authority.ts'

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
  const authority = await newAuthority({ clock, days: caDays })
  return { ca: authority.cert, ...(await newLeaf(authority, { names, clock, days: leafDays })) }
}
