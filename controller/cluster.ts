import { CR_NAME, EXPERIMENT_DEPLOYMENT, FIELD_MANAGER } from '../common/api/names.ts'
import { isObject, type KubeObject, listOr, member, type ObjectMeta } from '../common/api/object.ts'
import type { ResourceType } from '../common/api/resource.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import { unlessAborted } from '../common/deadline.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import type { Reflector } from '../common/kube/reflector.ts'
import { pathOf, RESOURCES } from '../common/kube/resources.ts'
import type { Log } from '../common/log.ts'
import { hasForkLabel, identityLabels, ownerReference } from '../common/workload/identity.ts'
import type { Reference, SpecSchema, WorkloadKind } from '../common/workload/kind.ts'
import type { Neighbours } from '../common/workload/neighbours.ts'
import type { Traffic } from '../common/workload/services.ts'
import type { Key, SourceSeen } from './reconcile/observe.ts'
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
  readonly schema: (kind: WorkloadKind) => SpecSchema | undefined
  readonly notify: (about: KubeObject, related: KubeObject | undefined, notice: Notice) => void
  readonly repairs: RepairPace
  readonly log: Log
}

/** Versions that our writes of one key returned, to be seen by the reflectors before the key is looked at again. */
interface Written {
  status?: string
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

  const within = (signal: AbortSignal): Kube => ({
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
      note(keyOfFork(fork), { fork: { kind: kind.kind, version: stored.metadata.resourceVersion ?? '' } })
      return stored
    },

    async applyStatus(experiment, status) {
      const { apiVersion, kind, metadata } = experiment
      const { name, namespace, resourceVersion } = metadata
      const stored = decoded(
        await client.request({
          verb: 'apply',
          path: pathOf(EXPERIMENT_DEPLOYMENT, { namespace, name, subresource: 'status' }),
          query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: true },
          body: { apiVersion, kind, metadata: { name, namespace, resourceVersion }, status },
          expects: kind,
          signal,
        }),
      )
      note(`${namespace}/${name}`, { status: stored.metadata.resourceVersion ?? '' })
    },

    notify: (experiment, { fork }, notice) => of.notify(experiment, fork, notice),
    log: (key, { reason, message, is }) => of.log.info({ key, reason, message, is }, 'reconciled'),
  })

  return {
    within,

    async caughtUp(key, signal) {
      const { status, fork, deleted: gone } = written.get(key) ?? {}
      written.delete(key)
      await Promise.all([
        status && experiments.caughtUp(status, signal),
        fork && reflectorsOf(fork.kind)?.forks.caughtUp(fork.version, signal),
        gone && reflectorsOf(gone.kind)?.forks.caughtUpDeletion(gone.key, gone.uid, signal),
      ])
    },
  }
}

/** A source and what its template may be in. */
async function fetchSource(
  client: KubeClient,
  kind: WorkloadKind,
  { metadata: { namespace = '', name } }: KubeObject,
): Promise<SourceSeen | undefined> {
  const path = pathOf(kind, { namespace, name })
  const source = await orAbsent(client.request({ verb: 'get', path, expects: kind.kind }))
  if (!source) return undefined
  const found = await Promise.all(kind.references(source).map((each) => referents(client, namespace, each)))
  return { source, referents: found.flat() }
}

async function referents(client: KubeClient, namespace: string, reference: Reference): Promise<readonly KubeObject[]> {
  const { resource, name, labelSelector } = reference
  if (name !== undefined) {
    const found = await orAbsent(client.request({ verb: 'get', path: pathOf(resource, { namespace, name }) }))
    return found ? [found] : []
  }
  const list = await client.request({ verb: 'list', path: pathOf(resource, { namespace }), query: { labelSelector } })
  return listOr(member(list, 'items')).map(decoded)
}

const typeOf = ({ apiVersion, kind }: ResourceType) => ({ apiVersion, kind })

const keyOfFork = ({ metadata }: Pick<KubeObject, 'metadata'>): Key =>
  `${metadata.namespace}/${metadata.labels?.[CR_NAME]}`

/** Deletes that very object, by uid; one that is gone, or another one by now, is none of ours. @throws KubeError */
async function deleted(client: KubeClient, resource: ResourceType, of: ObjectMeta, signal: AbortSignal): Promise<void> {
  const { namespace = '', name, uid } = of
  const body = { preconditions: { uid }, propagationPolicy: 'Background' }
  try {
    await client.request({ verb: 'delete', path: pathOf(resource, { namespace, name }), body, signal })
  } catch (error) {
    if (!(error instanceof KubeError && (error.kind === 'notFound' || error.kind === 'conflict'))) throw error
  }
}

const decoded = (answer: unknown): KubeObject => {
  if (isObject(answer) && isObject(answer.metadata)) return answer as KubeObject
  throw new KubeError({ kind: 'unreachable', message: 'the answer is no object' })
}

/** @throws KubeError other than `notFound` */
async function orAbsent(answer: Promise<unknown>): Promise<KubeObject | undefined> {
  try {
    return decoded(await answer)
  } catch (error) {
    if (error instanceof KubeError && error.kind === 'notFound') return undefined
    throw error
  }
}
