import { forkOfPod } from '../workload/identity.ts'
import type { SliceView } from './traffic.ts'

/** How many ready pods a Service has. A pod in two slices counts once. */
export interface ReadyEndpoints {
  readonly all: number
  /** those of one fork */
  readonly ofFork: number
  /** those of no experiment */
  readonly others: number
}

/** The pods of one Service. */
interface ServiceTally {
  /** by uid, with the number of slices that have the pod */
  readonly pods: Map<string, { readonly fork: string | undefined; readonly slices: number }>
  readonly byFork: Map<string, number>
}

/** The pods of all Services in a list of slices. */
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
export function readyEndpoints(slices: readonly SliceView[], service: string, fork = ''): ReadyEndpoints {
  const tally = tallyOf(slices).services.get(service)
  if (!tally) return { all: 0, ofFork: 0, others: 0 }
  const { pods, byFork } = tally
  return { all: pods.size, ofFork: byFork.get(fork) ?? 0, others: byFork.get(NO_FORK) ?? 0 }
}

/** Counts the pods of no experiment. It is no valid name of a fork. */
const NO_FORK = '*'

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
  const service = tally.services.get(slice.service) ?? { pods: new Map(), byFork: new Map() }
  tally.services.set(slice.service, service)
  for (const { uid, pod } of slice.ready) {
    const known = service.pods.get(uid)
    const fork = known ? known.fork : forkOfPod(pod)
    service.pods.set(uid, { fork, slices: (known?.slices ?? 0) + 1 })
    if (!known) count(service, fork, 1)
  }
}

function remove(tally: Tally, slice: SliceView): void {
  if (tallies.get(slice) === tally) tallies.delete(slice)
  const service = tally.services.get(slice.service)
  for (const { uid } of slice.ready) {
    const known = service?.pods.get(uid)
    if (!service || !known) continue
    if (known.slices > 1) service.pods.set(uid, { ...known, slices: known.slices - 1 })
    else {
      service.pods.delete(uid)
      count(service, known.fork, -1)
    }
  }
  if (service?.pods.size === 0) tally.services.delete(slice.service)
}

function count({ byFork }: ServiceTally, fork = NO_FORK, by: 1 | -1): void {
  const pods = (byFork.get(fork) ?? 0) + by
  if (pods > 0) byFork.set(fork, pods)
  else byFork.delete(fork)
}
