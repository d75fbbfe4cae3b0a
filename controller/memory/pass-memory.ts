import type { ExperimentDeployment, ExperimentDeploymentStatus } from '../../common/api/types.ts'
import type { RefusedFork, WrittenGeneration } from '../../common/facts/facts.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Clock, Timers } from '../../common/program/clock.ts'
import type { Key } from '../runtime/queue.ts'
import { DriftBackoff } from './drift-backoff.ts'
import { DryRuns } from './dry-runs.ts'
import { PodRefusals } from './pod-refusals.ts'
import { PodWarnings } from './pod-warnings.ts'
import { StatusPacing } from './status-pacing.ts'
import { StepClock } from './step-clock.ts'
import { TimedMap } from './timed-map.ts'

/** Repairs are not counted in a row after this time, so that it no longer matters what was written before. */
const STATUS_MS = 120_000

/** How long a fork that the API server refused is not sent again: until then the cluster may have another version. */
const REFUSED_MS = 3_600_000

/**
 * The fork and the twin of an experiment that this process wrote, until the status tells of it. If a pass cannot write
 * that status, the next pass knows by this that no other client has changed their specs.
 */
export type UnreportedWrites = Readonly<Partial<Record<'fork' | 'twin', WrittenGeneration>>>

/**
 * The statuses that this process has written lately. A client that once wrote a field with the present value owns it
 * together with the controller for ever. Only a status that differs from what was written shows that it writes now.
 */
export type WrittenStatuses = TimedMap<Key, ExperimentDeploymentStatus>

interface PassMemoryOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly clock: Clock
  readonly timers: Timers
}

/** What passes remember of experiments in this process, until these are gone or a short time has passed. */
export function passMemory(
  { client, clock, timers }: PassMemoryOptions,
  experiments: Pick<Reflector<ExperimentDeployment>, 'get' | 'subscribe'>,
) {
  const isKnown = (key: Key) => experiments.get(key) !== undefined
  const steps = new StepClock({ timers, clock, isKnown })
  const unreported = new Map<Key, UnreportedWrites>()
  const dryRuns = new DryRuns({ client, timers, isKnown })
  const sharePace = new StatusPacing(timers)
  const refused = new TimedMap<Key, RefusedFork>(timers, REFUSED_MS)
  const writtenStatuses: WrittenStatuses = new TimedMap(timers, STATUS_MS)
  experiments.subscribe(({ is, key }) => {
    if (is !== 'deleted') return
    steps.forget(key)
    unreported.delete(key)
    dryRuns.forget(key)
    sharePace.forget(key)
    writtenStatuses.delete(key)
    refused.delete(key)
  })
  return {
    steps,
    unreported,
    dryRuns,
    sharePace,
    writtenStatuses,
    refused,
    drift: new DriftBackoff(timers),
    // when another client removes a pin for the third time, the run is aborted
    pins: new DriftBackoff(timers, 2),
    statusDrift: new DriftBackoff(timers),
    podRefusals: new PodRefusals(client, timers),
    podWarnings: new PodWarnings(client, timers),
  }
}
