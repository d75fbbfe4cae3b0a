import { EXPERIMENT_DEPLOYMENT } from '../common/api/names.ts'
import type { KubeObject, ResourceType } from '../common/api/object.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { RefusedFork } from '../common/facts/facts.ts'
import { isEqual } from '../common/json/json.ts'
import type { KubeClient } from '../common/kube/client/client.ts'
import { RESOURCES, resourcePath } from '../common/kube/client/resources.ts'
import { orUndefined } from '../common/kube/reads/object.ts'
import type { Conclusion } from '../common/outcome/conclusion.ts'
import type { Log } from '../common/program/log.ts'
import { hasForeignStatus } from '../common/workload/identity.ts'
import { isOfTwin, WRITTEN_OBJECT } from '../common/writes/write.ts'
import type { ApplyPorts } from './apply/apply.ts'
import { Writer } from './apply/writer.ts'
import type { JoinedEvents } from './events/joined-events.ts'
import type { Referrers } from './indexes/referrers.ts'
import { type DriftBackoff, keyOfPin, keyOfTwin } from './memory/drift-backoff.ts'
import type { DryRuns } from './memory/dry-runs.ts'
import type { UnreportedWrites, WrittenStatuses } from './memory/pass-memory.ts'
import type { PodRefusals } from './memory/pod-refusals.ts'
import type { PodWarnings } from './memory/pod-warnings.ts'
import type { StatusPacing } from './memory/status-pacing.ts'
import type { TimedMap } from './memory/timed-map.ts'
import type { WrittenVersions } from './memory/written-versions.ts'
import type { ControllerMetrics } from './metrics.ts'
import { ExperimentReads } from './observe/experiment-reads.ts'
import type { PoliciesPort, Ports } from './observe/ports.ts'
import { type WorkloadReflectors, workloadReads } from './observe/workloads.ts'
import type { PolicyStatus } from './policies/policy-status.ts'
import type { Reservations } from './policies/reservations.ts'
import type { PassPorts } from './reconcile.ts'
import { type Key, keyOf } from './runtime/queue.ts'
import type { Pass } from './runtime/worker.ts'

interface ClusterOptions
  extends Pick<Ports, 'schemaOf' | 'surroundings' | 'steps' | 'pods' | 'analysis' | 'installed'> {
  readonly client: KubeClient
  /** whether the namespace may be read */
  readonly isServed: (namespace: string) => boolean
  readonly experiments: { get(key: Key): ExperimentDeployment | undefined }
  readonly workloads: readonly WorkloadReflectors[]
  readonly referrers: Pick<Referrers, 'of'>
  readonly policies: PoliciesPort & { readonly status: Pick<PolicyStatus, 'record'> }
  readonly reservations: Pick<Reservations, 'reserve'>
  readonly podRefusals: Pick<PodRefusals, 'of'>
  readonly podWarnings: Pick<PodWarnings, 'of'>
  readonly dryRuns: Pick<DryRuns, 'of'>
  /** of forks */
  readonly drift: DriftBackoff
  /** of the selectors of Services */
  readonly pins: DriftBackoff
  /** counts writes that undo the change of another client, moves of runs, and ends of promotions */
  readonly metrics: Pick<ControllerMetrics, 'repaired' | 'moved' | 'promoted'>
  readonly statusDrift: DriftBackoff
  readonly sharePace: StatusPacing
  readonly writtenStatuses: WrittenStatuses
  readonly unreported: Map<Key, UnreportedWrites>
  readonly refused: TimedMap<Key, RefusedFork>
  readonly written: WrittenVersions
  readonly recorder: Pick<JoinedEvents, 'record'>
  readonly log: Log
}

/**
 * States whose message may be that of a refusal, which quotes values of a template that may be secret. They are in the
 * status and in the Event, which only those can read who may read the experiment, and not in the log.
 */
const QUOTES: ReadonlySet<Conclusion['is']> = new Set(['failed', 'stalled', 'unready'])

/** Makes the cluster of each pass: reads from the caches, writes with one client. Its requests end with the pass. */
export function clusterForPass(options: ClusterOptions) {
  const { client, written, recorder, log, metrics, isServed, writtenStatuses, ...of } = options
  const { experiments: cached, statusDrift, sharePace, podRefusals, podWarnings, dryRuns, ...shared } = of
  const { policies, unreported } = shared
  const experiments = new ExperimentReads({ client, cached })
  const workloads = workloadReads(client, shared)
  const doubt = (object: Pick<KubeObject, 'metadata'>, resource: ResourceType) =>
    resource.kind === EXPERIMENT_DEPLOYMENT.kind ? experiments.doubt(object) : workloads.doubt(resource, object)
  return (key: Key, { number, signal, ...turns }: Pass): PassPorts => {
    const writer = new Writer({ client, signal, written: written.of(key), doubt })
    const reading = (resource: ResourceType) => async (namespace: string, name: string) => {
      const path = resourcePath(resource, { namespace, name })
      return isServed(namespace)
        ? orUndefined(client.request({ verb: 'get', path, signal, isNameEnough: true }))
        : undefined
    }
    return {
      ports: {
        ...shared,
        experiments: {
          get: (key) => experiments.get(key, signal),
          doubt: (experiment) => experiments.doubt(experiment),
        },
        workloads: workloads.port(signal),
        revision: reading(RESOURCES.ControllerRevision),
        service: reading(RESOURCES.Service),
        podRefusal: (fork) => podRefusals.of(fork),
        podWarnings: (fork) => podWarnings.of(fork),
        dryRun: (...of) => dryRuns.of(...of),
      },
      writer: applyPorts(writer, key, options),
      reporter: {
        applyStatus: async (experiment, status) => {
          await writer.applyStatus(experiment, status)
          unreported.delete(keyOf(experiment))
          sharePace.noteWrite(keyOf(experiment))
          writtenStatuses.sweep()
          if (hasForeignStatus(experiment)) writtenStatuses.set(keyOf(experiment), status)
        },
        shareWaitMs: (key) => sharePace.waitMs(key),
        progressWaitMs: (key) => sharePace.progressWaitMs(key),
        noteCurrent: (key) => {
          unreported.delete(key)
          sharePace.noteCurrent(key)
        },
        isAsWritten: (key, status) => status !== undefined && isEqual(writtenStatuses.get(key), status),
        repairWaitMs: (key) => statusDrift.waitMs(key),
        noteRepair: (key) => statusDrift.noteRepair(key),
        emitEvent: (regarding, { fork: related }, { type, reason, message, joining }) =>
          recorder.record({ type, reason, action: 'Reconcile', note: message, regarding, related }, joining),
        emitEventAbout: (regarding, related, { type, reason, message }) =>
          recorder.record({
            type,
            reason,
            action: regarding.kind === 'Service' ? 'CutOver' : 'Promote',
            note: message,
            regarding,
            related,
          }),
        recordPolicy: (key, decision) => policies.status.record(key, decision),
        countMove: ({ spec }, reason) => metrics.moved({ kind: spec.sourceRef.kind, reason }),
        countPromotion: ({ spec }, of) => metrics.promoted({ kind: spec.sourceRef.kind, ...of }),
        log: (experiment, { reason, message, is }) => {
          const { uid, generation } = experiment.metadata
          const loggedMessage = QUOTES.has(is) ? {} : { message }
          log.info(
            { key: keyOf(experiment), uid, generation, reconcile: number, reason, ...loggedMessage, is },
            'reconciled',
          )
        },
      },
      ...turns,
    }
  }
}

/** The writes of a pass over the experiment `key`, and what is remembered of them. */
const applyPorts = (
  writer: Writer,
  key: Key,
  { experiments, reservations, pins, drift, metrics, unreported, refused }: ClusterOptions,
): ApplyPorts => ({
  write: async (write) => {
    const stored = await writer.write(write)
    const { uid, generation } = stored?.metadata ?? {}
    // of an experiment that is deleted during its pass nothing is remembered
    const isNoted = WRITTEN_OBJECT[write.role] === 'fork' && experiments.get(key) !== undefined
    if (isNoted && uid !== undefined && generation !== undefined)
      unreported.set(key, { ...unreported.get(key), [isOfTwin(write) ? 'twin' : 'fork']: { uid, generation } })
    return stored
  },
  isCurrent: (experiment) => writer.isCurrent(experiment),
  reserve: (experiment, reservation) => reservations.reserve(experiment, reservation),
  noteRepair: (experiment, { role, of }, isUndone) => {
    if (role === 'service') pins.noteRepair(keyOfPin(key, of?.metadata.name ?? ''))
    else drift.noteRepair(isOfTwin({ role }) ? keyOfTwin(key) : key, isUndone)
    metrics.repaired({ kind: experiment.spec.sourceRef.kind })
  },
  noteRefused: (fork) => {
    refused.sweep()
    if (experiments.get(key) !== undefined) refused.set(key, fork)
  },
})
