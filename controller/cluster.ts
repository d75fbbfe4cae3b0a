import { CR_NAME, FIELD_MANAGER, OWNER_NAMESPACE } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import type { ResourceType } from '../common/api/resource.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import { unlessAborted } from '../common/deadline.ts'
import type { KubeClient } from '../common/kube/client.ts'
import type { Reflector } from '../common/kube/reflector.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import type { Log } from '../common/log.ts'
import { hasForkLabel, identityLabels, ownerReference } from '../common/workload/identity.ts'
import type { SpecSchema, WorkloadKind } from '../common/workload/kind.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'
import type { Traffic } from '../common/workload/services.ts'
import { fetchSource } from './fetch-source.ts'
import { decoded, deleted, orAbsent } from './live.ts'
import { ownWrites } from './own-writes.ts'
import type { Key } from './reconcile/observe.ts'
import type { Kube } from './reconcile/reconcile.ts'
import type { Notice } from './reconcile/report.ts'
import type { RepairPace } from './runtime/repair-pace.ts'
import { SourceCache } from './sources.ts'

interface WorkloadReflectors {
  readonly kind: WorkloadKind
  readonly forks: Reflector<KubeObject>
  readonly all: Reflector<KubeObject>
}

export interface ClusterOptions {
  readonly client: KubeClient
  readonly experiments: Reflector<ExperimentDeployment>
  readonly workloads: readonly WorkloadReflectors[]
  readonly traffic: (namespace: string) => Traffic
  readonly neighbours: (namespace: string) => Promise<Neighbours | undefined>
  readonly governance: Pick<Kube, 'policies' | 'namespace' | 'isExcluded' | 'rivals' | 'takePlace' | 'judged'>
  readonly schema: (kind: WorkloadKind) => SpecSchema | undefined
  readonly notify: (about: KubeObject, related: KubeObject | undefined, notice: Notice) => void
  readonly repairs: RepairPace
  readonly log: Log
}

/** Versions that our writes of one key returned, to be seen by the reflectors before the key is looked at again. */
interface Written {
  resource?: string
  fork?: { readonly kind: string; readonly version: string }
  deleted?: { readonly kind: string; readonly key: string; readonly uid: string }
}

/** The cluster behind the spine: reads from the reflectors, writes through one client. */
export interface Cluster {
  /** The spine's view of the cluster, whose requests end with `signal`. */
  within(signal: AbortSignal): Kube
  /** Resolves when the reflectors have passed all that was written for `key`. Costs no request. */
  caughtUp(key: Key, signal?: AbortSignal): Promise<void>
}

/** Every write of the controller passes here, where a lease can be checked one day. */
export function cluster({ client, experiments, workloads, ...of }: ClusterOptions): Cluster {
  const written = new Map<Key, Written>()
  const reflectorsOf = (kind: string) => workloads.find((views) => views.kind.kind === kind)
  const note = (key: Key, what: Written) => written.set(key, { ...written.get(key), ...what })

  const sources = new Map(
    workloads.map(({ kind }) => [
      kind.kind,
      new SourceCache({
        pulse: kind.pulse,
        fetch: (known) => fetchSource(client, kind, known),
        isComplete: ({ source, referents }) => kind.template(source, referents).is === 'found',
      }),
    ]),
  )

  const noteFork = ({ kind }: WorkloadKind, fork: KubeObject, { metadata: { resourceVersion = '' } }: KubeObject) =>
    note(keyOfFork(fork), { fork: { kind, version: resourceVersion } })

  const within = (signal: AbortSignal): Kube => ({
    ...of.governance,
    ...ownWrites({ client, signal, wrote: (key, version) => note(key, { resource: version }) }),
    experiment: (key) => experiments.get(key),
    schema: of.schema,
    traffic: of.traffic,
    neighbours: of.neighbours,
    isAbsent: ({ kind }) => reflectorsOf(kind)?.all.isAbsent ?? true,
    repairAfterMs: (key) => of.repairs.waitMs(key),
    repaired: (fork) => of.repairs.note(keyOfFork(fork)),

    referring: (namespace) =>
      workloads
        .filter(({ kind }) => kind.refersTo !== undefined)
        .flatMap(({ all }) => all.list())
        .filter(({ metadata }) => metadata.namespace === namespace),

    async source({ kind }, namespace, name) {
      const known = reflectorsOf(kind)?.all.get(`${namespace}/${name}`)
      const cache = sources.get(kind)
      if (!known || !cache) return undefined
      // the load may serve other keys too: it ends by itself, this look with its signal
      const seen = await unlessAborted(cache.get(known), signal)
      const isSame =
        seen?.source.metadata.uid === known.metadata.uid &&
        seen?.source.metadata.generation === known.metadata.generation
      // labels, owners and annotations change without a generation; the watch has them as they are
      return seen && isSame ? { ...seen, source: { ...seen.source, metadata: known.metadata } } : seen
    },

    present: (kind, namespace, name) =>
      orAbsent(client.request({ verb: 'get', path: pathOf(kind, { namespace, name }), signal }), [
        'notFound',
        'kindAbsent',
      ]),

    pinned: (namespace, name) =>
      orAbsent(
        client.request({ verb: 'get', path: pathOf(RESOURCES.ControllerRevision, { namespace, name }), signal }),
      ),

    async pin(experiment, name, data) {
      const { namespace } = experiment.metadata
      await client.request({
        verb: 'create',
        path: pathOf(RESOURCES.ControllerRevision, { namespace }),
        body: {
          ...typeOf(RESOURCES.ControllerRevision),
          metadata: {
            name,
            namespace,
            labels: identityLabels(experiment),
            ownerReferences: [ownerReference(experiment)],
          },
          revision: 1,
          data,
        },
        signal,
      })
    },

    async unpin({ metadata }) {
      await deleted(client, RESOURCES.ControllerRevision, metadata, signal)
    },

    async deleteFork(kind, { metadata }) {
      const { namespace = '', name, uid = '' } = metadata
      // what a cache tells may be old: only the present object's uid is proof
      const live = await orAbsent(client.request({ verb: 'get', path: pathOf(kind, { namespace, name }), signal }))
      if (live?.metadata.uid === uid) await deleted(client, kind, metadata, signal)
      note(keyOfFork({ metadata }), { deleted: { kind: kind.kind, key: `${namespace}/${name}`, uid } })
    },

    async shrinkFork(kind, fork, replicas) {
      const { namespace = '', name, uid } = fork.metadata
      const stored = decoded(
        await client.request({
          verb: 'patch',
          contentType: 'application/merge-patch+json',
          path: pathOf(kind, { namespace, name }),
          query: { fieldManager: FIELD_MANAGER },
          body: { metadata: { uid }, spec: { replicas } },
          expects: kind.kind,
          signal,
        }),
      )
      noteFork(kind, fork, stored)
      return stored
    },

    occupant({ kind }, namespace, name) {
      const views = reflectorsOf(kind)
      const key = `${namespace}/${name}`
      const other = views?.all.get(key)
      // what only the other view knows yet, its own one is about to tell, whole
      return views?.forks.get(key) ?? (other && !hasForkLabel(other) ? other : undefined)
    },

    async applyFork(kind, fork, { force }) {
      const { namespace = '', name } = fork.metadata
      const stored = decoded(
        await client.request({
          verb: 'apply',
          path: pathOf(kind, { namespace, name }),
          query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force },
          body: fork,
          expects: kind.kind,
          signal,
        }),
      )
      noteFork(kind, fork, stored)
      return stored
    },

    notify: (experiment, { fork }, notice) => of.notify(experiment, fork, notice),
    log: (key, { reason, message, is }) => of.log.info({ key, reason, message, is }, 'reconciled'),
  })

  return {
    within,

    async caughtUp(key, signal) {
      const { resource, fork, deleted: gone } = written.get(key) ?? {}
      written.delete(key)
      await Promise.all([
        resource && experiments.caughtUp(resource, signal),
        fork && reflectorsOf(fork.kind)?.forks.caughtUp(fork.version, signal),
        gone && reflectorsOf(gone.kind)?.forks.caughtUpDeletion(gone.key, gone.uid, signal),
      ])
    },
  }
}

const typeOf = ({ apiVersion, kind }: ResourceType) => ({ apiVersion, kind })

/** Of the resource that a fork is of. */
const keyOfFork = ({ metadata }: Pick<KubeObject, 'metadata'>): Key =>
  `${metadata.labels?.[OWNER_NAMESPACE] ?? metadata.namespace}/${metadata.labels?.[CR_NAME]}`
