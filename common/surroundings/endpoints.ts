import { isEqual } from '../json/json.ts'
import { forkOfPod } from '../workload/identity.ts'
import { familiesOf, familyReached, type Sender, type SliceView } from './traffic.ts'

/**
 * How many ready endpoints a Service has: different addresses in slices that its requests reach. Of a Service of two
 * IP families, each of which lists the same pods, a fork has those of the family where it has most, and others those of
 * the family where they are fewest: so a family that lists more can hide no share.
 */
export interface ReadyEndpoints {
  readonly all: number
  /** those of one fork, also where a slice calls the address another pod's */
  readonly ofFork: number
  /** those of no experiment: of other pods, and of no pod */
  readonly others: number
  /** the pods of no experiment that are listed, in the family that lists most */
  readonly listedPods: number
}

/** The endpoints of one IP family of a Service. Numbers are those of the slices that have the address. */
interface FamilyTally {
  /** by address and name of the fork */
  readonly forks: Map<string, Map<string, number>>
  /** of pods of no experiment, by address */
  readonly pods: Map<string, number>
  /** of no pod, by address */
  readonly podless: Map<string, number>
  readonly byFork: Map<string, number>
  others: number
}

/** The slices of one Service. */
interface ServiceTally {
  readonly slices: Set<SliceView>
  /** the Service for which they were counted; undefined: not yet */
  sender: Sender | undefined
  readonly families: Map<string, FamilyTally>
}

/** The slices of all Services in a list of slices. */
interface Tally {
  slices: readonly SliceView[]
  readonly services: Map<string, ServiceTally>
}

/**
 * The tally of the list that a slice was last counted in. A list differs from the one before in one slice, so only that
 * one is counted: otherwise each of N forks behind a Service would count N pods whenever one of them becomes ready.
 */
const tallies = new WeakMap<SliceView, Tally>()

/** The ready endpoints of `service` in `slices`, which must not change afterwards. `fork` is the name of a fork. */
export function readyEndpoints(slices: readonly SliceView[], service: Sender, fork = ''): ReadyEndpoints {
  const tally = tallyOf(slices).services.get(service.name)
  if (!tally) return { all: 0, ofFork: 0, others: 0, listedPods: 0 }
  if (!tally.sender || !sendsAlike(tally.sender, service)) recount(tally, service)
  // a family without endpoints has no requests: pods may be of one family where a Service may have two
  const families = familiesOf(service)
    .flatMap((family) => tally.families.get(family) ?? [])
    .filter((family) => family.others + family.forks.size > 0)
  const others = families.length === 0 ? 0 : Math.min(...families.map((family) => family.others))
  const most = (count: (of: FamilyTally) => number) => Math.max(0, ...families.map(count))
  return {
    all: others + most(({ forks }) => forks.size),
    ofFork: most(({ byFork }) => byFork.get(fork) ?? 0),
    others,
    listedPods: most(({ pods }) => pods.size),
  }
}

/** Whether requests to both reach the same slices. */
const sendsAlike = (one: Sender, other: Sender): boolean =>
  one === other ||
  (one.isHeadless === other.isHeadless &&
    one.proxy === other.proxy &&
    isEqual(one.families, other.families) &&
    isEqual(one.ports, other.ports))

function tallyOf(slices: readonly SliceView[]): Tally {
  const counted = slices.find((slice) => tallies.has(slice))
  const tally = (counted && tallies.get(counted)) ?? { slices: [], services: new Map() }
  if (tally.slices === slices) return tally
  const [before, after] = [new Set(tally.slices), new Set(slices)]
  for (const slice of after.difference(before)) add(tally, slice)
  for (const slice of before.difference(after)) remove(tally, slice)
  tally.slices = slices
  return tally
}

function add(tally: Tally, slice: SliceView): void {
  tallies.set(slice, tally)
  const service = tally.services.get(slice.service) ?? { slices: new Set(), sender: undefined, families: new Map() }
  tally.services.set(slice.service, service)
  service.slices.add(slice)
  count(service, slice, 1)
}

function remove(tally: Tally, slice: SliceView): void {
  if (tallies.get(slice) === tally) tallies.delete(slice)
  const service = tally.services.get(slice.service)
  if (!service) return
  service.slices.delete(slice)
  count(service, slice, -1)
  if (service.slices.size === 0) tally.services.delete(slice.service)
}

function recount(tally: ServiceTally, sender: Sender): void {
  tally.sender = sender
  tally.families.clear()
  for (const slice of tally.slices) count(tally, slice, 1)
}

/** Adds a slice to what was counted for a Service, or takes it away. */
function count({ sender, families }: ServiceTally, slice: SliceView, by: 1 | -1): void {
  const family = sender && familyReached(sender, slice)
  if (family === undefined) return
  const tally = families.get(family) ?? {
    ...{ forks: new Map(), pods: new Map(), podless: new Map(), byFork: new Map() },
    others: 0,
  }
  families.set(family, tally)
  for (const { address, pod } of slice.ready) {
    const fork = pod === undefined ? undefined : forkOfPod(pod)
    countAddress(tally, address, -1)
    if (fork === undefined) bump(pod === undefined ? tally.podless : tally.pods, address, by)
    else {
      const forks = tally.forks.get(address) ?? new Map()
      bump(forks, fork, by)
      if (forks.size > 0) tally.forks.set(address, forks)
      else tally.forks.delete(address)
    }
    countAddress(tally, address, 1)
  }
}

/** An address that a fork has, too, is the fork's: kube-proxy sends to it once, whatever a slice calls it. */
function countAddress(tally: FamilyTally, address: string, by: 1 | -1): void {
  const [fork] = tally.forks.get(address)?.keys() ?? []
  if (fork !== undefined) bump(tally.byFork, fork, by)
  else if (tally.pods.has(address) || tally.podless.has(address)) tally.others += by
}

function bump<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
