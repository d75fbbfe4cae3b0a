import type { ServiceShare, Warning } from '../api/types.ts'
import { collisions } from './collisions.ts'
import { hazards } from './hazards.ts'
import { type Neighbours, NO_NEIGHBOURS } from './neighbours.ts'
import { serviceShares, type Traffic } from './services.ts'
import { type Pair, sidesOf } from './sides.ts'

/** A fork among others. */
export interface Scene {
  readonly pair: Pair
  /** undefined where it could not be read */
  readonly traffic: Traffic | undefined
  /** likewise */
  readonly neighbours: Neighbours | undefined
  /** name of a workload that serves in the place of the source, if Flagger made one */
  readonly primary: string | undefined
  /** `rollout/cart`: a workload that takes its template from the source */
  readonly referrer: string | undefined
}

/** What a fork gets of the traffic, and what there is to know about it. */
export interface Outlook {
  readonly services: readonly ServiceShare[]
  /** about a second copy */
  readonly hazards: readonly Warning[]
  /** about others */
  readonly collisions: readonly Warning[]
}

/** Of what is known. The webhook warns of it, the controller tells it in status. */
export function outlookOf({ pair, traffic, neighbours, primary, referrer }: Scene): Outlook {
  const sides = sidesOf(pair, neighbours?.autoscalers)
  return {
    services: traffic ? serviceShares(traffic, sides) : [],
    hazards: hazards({ pair, sides, services: traffic?.services, primary, referrer }),
    collisions: collisions({
      pair,
      sides,
      services: traffic?.services ?? [],
      neighbours: neighbours ?? NO_NEIGHBOURS,
    }),
  }
}
