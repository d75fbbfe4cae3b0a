import type { AnalysisRun, RunMetric } from '../../../common/analysis/kinds/run.ts'
import { ABSENT, known, knownOrAbsent } from '../../../common/api/known.ts'
import { EXPERIMENT_ID, GATE, REQUESTED_BY } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import type { Condition, ExperimentDeployment, ExperimentDeploymentStatus } from '../../../common/api/types.ts'
import type { ViewFacts } from '../../../common/view/experiment-view.ts'
import { experimentId } from '../../../common/workload/identity.ts'
import { anExperiment, FORK, imageOverride, UID } from '../../builders.ts'
import { aRun, type RunWorld } from '../plan/some-run.ts'

export const NOW = new Date('2026-11-21T10:00:00Z')
const SINCE = '2026-11-21T09:50:00Z'
const UID_OF_FORK = 'uid-of-fork'

/** A condition that is True, for a reason. */
export const aCondition = (type: Condition['type'], reason: string, of: Partial<Condition> = {}): Condition => ({
  ...{ type, status: 'True', reason, message: `told: ${reason}`, lastTransitionTime: SINCE },
  ...of,
})

/** `faster-cart` with a status about its present generation. */
export const aToldExperiment = (
  status: ExperimentDeploymentStatus = { conditions: [aCondition('Ready', 'Available')] },
  of: Parameters<typeof anExperiment>[0] = {},
): ExperimentDeployment =>
  anExperiment({
    ...of,
    metadata: { creationTimestamp: '2026-11-21T09:00:00Z', ...of.metadata },
    status: { observedGeneration: 1, ...status },
  })

/** The facts of a view, of which everything is absent but the experiment. */
export const someViewFacts = (of: Partial<ViewFacts> = {}): ViewFacts => ({
  now: NOW,
  experiment: aToldExperiment(),
  ...{ source: ABSENT, fork: ABSENT, pods: known([]), events: known([]), run: ABSENT },
  ...of,
})

/** What a view finds of a run in memory. */
export const viewFactsOf = ({ world }: RunWorld): ViewFacts =>
  someViewFacts({
    now: world.now,
    experiment: world.experiment,
    source: world.source ? known({ object: world.source, referents: [] }) : ABSENT,
    fork: knownOrAbsent(world.fork),
  })

/** A run that rests at its first pause. */
export function aPausedRun(...of: Parameters<typeof aRun>): RunWorld {
  const run = aRun(...of)
  run.rest()
  return run
}

interface PodOf {
  readonly name?: string
  readonly isReady?: boolean
  readonly status?: object
  readonly containers?: readonly object[]
  readonly initContainers?: readonly object[]
  readonly metadata?: object
}

/** A pod of the fork. */
export const aPod = ({ name = `${FORK}-1`, isReady = false, ...of }: PodOf = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...{ name, namespace: 'shop', uid: `uid-of-${name}`, creationTimestamp: SINCE },
    labels: { [EXPERIMENT_ID]: experimentId(UID) },
    ...of.metadata,
  },
  spec: { nodeName: 'node-2' },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    containerStatuses: of.containers ?? [{ name: 'cart', restartCount: 0, ready: isReady, state: { running: {} } }],
    initContainerStatuses: of.initContainers ?? [],
    ...of.status,
  },
})

/** An Event of the core API. */
export const anEvent = (
  about: { readonly kind: string; readonly name: string; readonly uid: string },
  of: object = {},
) =>
  ({
    ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: `${about.name}.1`, namespace: 'shop' } },
    ...{ involvedObject: about, type: 'Warning', reason: 'Failed', message: 'it failed', count: 3 },
    ...{ lastTimestamp: SINCE, source: { component: 'kubelet' } },
    ...of,
  }) as KubeObject

const METRIC: RunMetric = {
  ...{ name: 'latency', verdict: 'Wait', reason: 'Measuring', since: SINCE, windowEnd: SINCE, hasSeries: true },
  samples: { control: 80, treatment: 20 },
  harm: { logE: -0.5, needs: 3.7 },
  safe: [{ part: 'body', logE: 1, needs: 3 }],
  effect: { estimate: 3, atLeast: -5, atMost: 15, of: 'median' },
  pods: { groups: 10, outer: 0 },
  state: [0.1],
  memory: { version: 1, numbers: [1] },
  trace: [{ at: SINCE, estimate: 3, atLeast: -5, atMost: 15, harm: 1, safe: -2 }],
}

/** An analysis run that is still waiting, with one metric that has everything. */
export const anAnalysisRun = (): AnalysisRun => ({
  metadata: { name: `${FORK}-a932ba8afd`, namespace: 'shop', uid: 'uid-of-run', creationTimestamp: SINCE },
  spec: {
    experiment: { name: 'faster-cart', uid: UID, generation: 1 },
    subject: '0123456789',
    ...{ attempt: 1, control: 'Source', alpha: 0.025, beta: 0.05, minSamples: 50 },
    metrics: [{ name: 'health', kind: 'Health', provider: 'kubernetes', dryRun: false }],
  },
  status: {
    ...{ verdict: 'Wait', reason: 'Measuring', message: 'm', startedAt: SINCE, since: SINCE },
    ...{ looks: 2, requests: 20, windows: { counted: 1, empty: 1, unusable: 0, skipped: 0 } },
    metrics: [METRIC],
  },
})

/** Facts of which a view has every member that there is. */
export function wholeViewFacts(): ViewFacts {
  const run = aPausedRun()
  const { experiment, fork } = run.world
  const ref = { kind: 'Deployment', name: FORK, uid: fork?.metadata.uid ?? UID_OF_FORK }
  const status: ExperimentDeploymentStatus = {
    ...experiment.status,
    conditions: [...(experiment.status?.conditions ?? [])],
    services: [
      { name: 'cart', selected: true, share: '8%', message: 'told', experimentEndpoints: 1, readyEndpoints: 13 },
    ],
    warnings: [{ reason: 'QueueWorker', message: 'told' }],
    analysis: { ...{ run: 'r', verdict: 'Wait', reason: 'Measuring', message: 'm', since: SINCE }, attempt: 1 },
    promotion: { mode: 'Export', declaredBy: 'Argo CD', patch: '[]' },
    violatedPolicies: ['limits'],
    share: '8%',
    expiresAt: '2026-11-22T09:00:00Z',
    ...(experiment.status?.strategy
      ? {
          strategy: {
            ...experiment.status.strategy,
            command: { verb: 'pause', at: SINCE, by: 'ada', answer: 'Done', message: 'paused' },
          },
        }
      : {}),
  }
  const metadata = { ...experiment.metadata, creationTimestamp: SINCE, annotations: { [REQUESTED_BY]: 'ada' } }
  return {
    ...viewFactsOf(run),
    experiment: { ...experiment, metadata, status, spec: { ...experiment.spec, ttlSeconds: 86_400, analysis: {} } },
    ...(fork ? { fork: known({ ...fork, metadata: { ...fork.metadata, creationTimestamp: SINCE } }) } : {}),
    pods: known([aPod({ metadata: { uid: 'p' }, containers: [crashing()] })]),
    events: known([anEvent(ref), anEvent({ kind: 'Pod', name: `${FORK}-1`, uid: 'p' })]),
    run: known(anAnalysisRun()),
    unread: [{ what: 'something', because: 'nobody may read it' }],
  }
}

/** The status of a container that crashes. */
export const crashing = (name = 'cart', restartCount = 4) => ({
  ...{ name, restartCount, ready: false },
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
})

/** `spec.template.spec` of a gated pod. */
export const GATED = { readinessGates: [{ conditionType: GATE }] }

/** `faster-cart` with another image. */
export const anotherImage = () => aToldExperiment(undefined, { overrideSpec: imageOverride('example/cart:2') })
