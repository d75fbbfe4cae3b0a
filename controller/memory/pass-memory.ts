import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Clock, Timers } from '../../common/program/clock.ts'
import type { Key } from '../runtime/queue.ts'
import { DriftBackoff } from './drift-backoff.ts'
import { DryRuns } from './dry-runs.ts'
import { PodRefusals } from './pod-refusals.ts'
import { StatusPacing } from './status-pacing.ts'
import { StepClock } from './step-clock.ts'
import { UnreportedWrites } from './unreported-writes.ts'
import { WrittenStatuses } from './written-statuses.ts'

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
