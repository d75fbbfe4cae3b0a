import type { ExperimentDeployment } from '../common/api/types.ts'
import type { KubeClient } from '../common/kube/client/client.ts'
import type { Reflector } from '../common/kube/watch/reflector.ts'
import type { Clock, Timers } from '../common/program/clock.ts'
import { DriftBackoff } from './observe/drift-backoff.ts'
import { DryRuns } from './observe/dry-runs.ts'
import { PodRefusals } from './observe/pod-refusals.ts'
import { StepClock } from './observe/step-clock.ts'
import { UnreportedWrites } from './observe/unreported-writes.ts'
import { StatusPacing } from './report/status-pacing.ts'
import { WrittenStatuses } from './report/written-statuses.ts'
import type { Key } from './runtime/queue.ts'

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
  const unreported = new UnreportedWrites({ isKnown })
  const dryRuns = new DryRuns({ client, timers, isKnown })
  const sharePace = new StatusPacing(timers)
  const writtenStatuses = new WrittenStatuses(timers)
  experiments.subscribe(({ is, key }) => {
    if (is !== 'deleted') return
    steps.forget(key)
    unreported.forget(key)
    dryRuns.forget(key)
    sharePace.forget(key)
    writtenStatuses.forget(key)
  })
  return {
    steps,
    unreported,
    dryRuns,
    sharePace,
    writtenStatuses,
    drift: new DriftBackoff(timers),
    // when another client removes a pin for the third time, the run is aborted
    pins: new DriftBackoff(timers, 2),
    statusDrift: new DriftBackoff(timers),
    podRefusals: new PodRefusals(client, timers),
  }
}
