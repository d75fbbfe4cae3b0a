import type { KubeObject } from '../common/api/object.ts'
import type { KubeClient } from '../common/kube/client/client.ts'
import { pathOf, RESOURCES } from '../common/kube/client/resources.ts'
import { orUndefined } from '../common/kube/reads/object.ts'
import type { SpecSchema } from '../common/override/spec-schema.ts'
import type { Log } from '../common/program/log.ts'
import type { WorkloadKind } from '../common/workload/kind.ts'
import { Writer } from './apply/writer.ts'
import { WrittenVersions } from './apply/written-versions.ts'
import type { Caches } from './caches.ts'
import type { Ports, SurroundingsPort } from './observe/ports.ts'
import { workloadReads } from './observe/workloads.ts'
import type { PolicyRuntime } from './policies/policy-runtime.ts'
import type { Cluster } from './reconcile.ts'
import type { EventDraft } from './report/report.ts'
import type { DriftBackoff } from './runtime/drift-backoff.ts'
import { keyOf } from './runtime/queue.ts'
import type { Pass } from './runtime/worker.ts'

export interface ClusterOptions {
  readonly client: KubeClient
  readonly caches: Caches
  readonly surroundings: SurroundingsPort
  readonly policies: Pick<PolicyRuntime, 'port' | 'reserve' | 'record'>
  readonly schema: (kind: WorkloadKind) => SpecSchema | undefined
  readonly drift: DriftBackoff
  /** queues an Event about an object, and about a related one if there is one */
  readonly emitEvent: (regarding: KubeObject, related: KubeObject | undefined, event: EventDraft) => void
  readonly log: Log
}

/** The cluster behind the passes: reads from the caches, writes with one client. */
export interface ClusterAccess {
  /** The cluster for one pass. Its requests end with the signal of the pass. */
  forPass(pass: Pass): Cluster
  readonly written: WrittenVersions
}

/** Connects ports, writer and reporter to the caches and the client. */
export function clusterAccess({
  client,
  caches,
  policies,
  drift,
  emitEvent,
  log,
  ...of
}: ClusterOptions): ClusterAccess {
  const written = new WrittenVersions({
    experiments: caches.experiments,
    forks: (kind) => caches.workloads.find((each) => each.kind.kind === kind)?.forks,
  })
  const workloads = workloadReads(client, caches.workloads)
  const portsOf = (signal: AbortSignal): Ports => ({
    experiments: caches.experiments,
    workloads: workloads(signal),
    revisions: {
      get: (namespace, name) =>
        orUndefined(
          client.request({ verb: 'get', path: pathOf(RESOURCES.ControllerRevision, { namespace, name }), signal }),
        ),
    },
    schemas: { of: of.schema },
    policies: policies.port,
    surroundings: of.surroundings,
    drift,
  })
  return {
    written,
    forPass: ({ signal, yieldToWrites }) => {
      const writer = new Writer({ client, signal, written })
      return {
        ports: portsOf(signal),
        writer: {
          write: (write) => writer.write(write),
          reserve: (experiment, reservation) => policies.reserve(experiment, reservation),
          noteRepair: (experiment) => drift.noteRepair(keyOf(experiment)),
        },
        reporter: {
          applyStatus: (experiment, status) => writer.applyStatus(experiment, status),
          emitEvent: (experiment, { fork }, event) => emitEvent(experiment, fork, event),
          recordPolicy: (key, decision) => policies.record(key, decision),
          log: (key, { reason, message, is }) => log.info({ key, reason, message, is }, 'reconciled'),
        },
        yieldToWrites,
      }
    },
  }
}
