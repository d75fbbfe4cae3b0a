import { CR_NAME, EXPERIMENT_DEPLOYMENT, FIELD_MANAGER } from '../common/api/names.ts'
import { isObject, type KubeObject } from '../common/api/object.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { KubeError } from '../common/kube/errors.ts'
import type { Reflector } from '../common/kube/reflector.ts'
import { pathOf } from '../common/kube/resources.ts'
import type { Log } from '../common/log.ts'
import { hasForkLabel } from '../common/workload/identity.ts'
import type { SpecSchema, WorkloadKind } from '../common/workload/kind.ts'
import type { Traffic } from '../common/workload/services.ts'
import type { Key } from './reconcile/observe.ts'
import type { Kube } from './reconcile/reconcile.ts'
import type { Notice } from './reconcile/report.ts'
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
  readonly schema: (kind: WorkloadKind) => SpecSchema | undefined
  readonly notify: (about: KubeObject, related: KubeObject | undefined, notice: Notice) => void
  readonly log: Log
}

/** Versions that our writes of one key returned, to be seen by the reflectors before the key is looked at again. */
interface Written {
  status?: string
  fork?: { readonly kind: string; readonly version: string }
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

  const sources = new SourceCache({
    fetch: async ({ kind, metadata: { namespace = '', name } }) => {
      const views = reflectorsOf(kind)
      return (
        views && orAbsent(client.request({ verb: 'get', path: pathOf(views.kind, { namespace, name }), expects: kind }))
      )
    },
  })

  const within = (signal: AbortSignal): Kube => ({
    experiment: (key) => experiments.get(key),
    schema: of.schema,
    traffic: of.traffic,

    async source({ kind }, namespace, name) {
      const known = reflectorsOf(kind)?.all.get(`${namespace}/${name}`)
      return known && sources.get(known)
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
      const key = `${namespace}/${fork.metadata.labels?.[CR_NAME]}`
      note(key, { fork: { kind: kind.kind, version: stored.metadata.resourceVersion ?? '' } })
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
      const { status, fork } = written.get(key) ?? {}
      written.delete(key)
      await Promise.all([
        status && experiments.caughtUp(status, signal),
        fork && reflectorsOf(fork.kind)?.forks.caughtUp(fork.version, signal),
      ])
    },
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
