import { forkOfPod } from '../workload/identity.ts'
import type { SliceView } from './traffic.ts'

/** How many ready pods a Service has. A pod in two slices counts once. */
export interface ReadyEndpoints {
  readonly all: number
  /** those of experiments, by the name of the fork */
  readonly byFork: ReadonlyMap<string, number>
  /** those of no experiment */
  readonly others: number
}

const NONE: ReadyEndpoints = { all: 0, byFork: new Map(), others: 0 }

/** Counted once for all passes that read the same list. Otherwise each of N forks behind a Service would count N pods. */
const counted = new WeakMap<readonly SliceView[], ReadonlyMap<string, ReadyEndpoints>>()

/** The ready endpoints of `service` in `slices`, which must not change afterwards. */
export function readyEndpoints(slices: readonly SliceView[], service: string): ReadyEndpoints {
  const known = counted.get(slices) ?? countedIn(slices)
  counted.set(slices, known)
  return known.get(service) ?? NONE
}

function countedIn(slices: readonly SliceView[]): ReadonlyMap<string, ReadyEndpoints> {
  const pods = new Map<string, Map<string, string>>() // names by uid, by Service
  for (const { service, ready } of slices) {
    const ofService = pods.get(service) ?? new Map<string, string>()
    pods.set(service, ofService)
    for (const { uid, pod } of ready) ofService.set(uid, pod)
  }
  return new Map(Array.from(pods, ([service, ofService]) => [service, countsOf(ofService)]))
}

function countsOf(pods: ReadonlyMap<string, string>): ReadyEndpoints {
  const byFork = new Map<string, number>()
  let others = 0
  for (const pod of pods.values()) {
    const fork = forkOfPod(pod)
    if (fork === undefined) others += 1
    else byFork.set(fork, (byFork.get(fork) ?? 0) + 1)
  }
  return { all: pods.size, byFork, others }
}
