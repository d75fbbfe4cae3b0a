import { type Known, knownValue } from '../api/known.ts'
import type { ServiceShare, Warning } from '../api/types.ts'
import { collisions } from './collisions.ts'
import { hazards } from './hazards.ts'
import { type Neighbours, NO_NEIGHBOURS } from './neighbours.ts'
import { type ForkAndSource, trafficInput } from './pod-labels.ts'
import { serviceShares } from './shares.ts'
import type { TrafficView } from './traffic.ts'

/** What else touches the pods of a fork. */
export interface Surroundings {
  readonly traffic: Known<TrafficView>
  readonly neighbours: Known<Neighbours>
  /** name of the workload that serves in place of a source at zero replicas, if Flagger made one */
  readonly primary: Known<string>
  /** `rollout/cart`: a workload that takes its template from the source */
  readonly referrer: Known<string>
}

/** What a fork gets of the traffic, and the warnings about it. */
export interface TrafficReport {
  readonly services: readonly ServiceShare[]
  /** about running the workload a second time */
  readonly hazards: readonly Warning[]
  /** about other objects that act on the pods */
  readonly collisions: readonly Warning[]
}

/** The report from what is known. The webhook warns of it, the controller writes it into the status. */
export function trafficReport(pair: ForkAndSource, surroundings: Surroundings): TrafficReport {
  const [traffic, neighbours] = [knownValue(surroundings.traffic), knownValue(surroundings.neighbours)]
  const [primary, referrer] = [knownValue(surroundings.primary), knownValue(surroundings.referrer)]
  const [pods, services] = [trafficInput(pair, neighbours?.autoscalers), traffic?.services]
  return {
    services: traffic ? serviceShares(traffic, pods) : [],
    hazards: hazards({ pair, pods, services, unread: traffic?.unread, primary, referrer }),
    collisions: collisions({
      ...{ pair, pods, services: services ?? [], unread: traffic?.unread },
      neighbours: neighbours ?? NO_NEIGHBOURS,
    }),
  }
}
