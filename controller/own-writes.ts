import { EXPERIMENT_DEPLOYMENT, FIELD_MANAGER, FORK_FINALIZER } from '../common/api/names.ts'
import type { ExperimentDeployment } from '../common/api/types.ts'
import type { KubeClient } from '../common/kube/client.ts'
import { pathOf } from '../common/kube/resources.ts'
import { decoded } from './live.ts'
import type { Key } from './reconcile/observe.ts'
import type { Kube } from './reconcile/reconcile.ts'

interface OwnWritesOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
  /** is told the version that a write left of the resource `key` */
  readonly wrote: (key: Key, version: string) => void
}

/** What one pass writes of the resource itself, each write over the version that the one before it left. */
export function ownWrites({ client, signal, wrote }: OwnWritesOptions): Pick<Kube, 'hold' | 'release' | 'applyStatus'> {
  let left: string | undefined
  const leave = (stored: unknown, { metadata: { namespace, name } }: ExperimentDeployment): void => {
    left = decoded(stored).metadata.resourceVersion ?? ''
    wrote(`${namespace}/${name}`, left)
  }

  const patchFinalizers = async (experiment: ExperimentDeployment, finalizers: readonly string[]): Promise<void> => {
    const { name, namespace, uid, resourceVersion } = experiment.metadata
    const stored = await client.request({
      verb: 'patch',
      contentType: 'application/merge-patch+json',
      path: pathOf(EXPERIMENT_DEPLOYMENT, { namespace, name }),
      query: { fieldManager: FIELD_MANAGER },
      // another version or uid makes it a conflict: nobody else's finalizer is lost, no namesake is held
      body: { metadata: { uid, resourceVersion, finalizers } },
      expects: experiment.kind,
      signal,
    })
    leave(stored, experiment)
  }
  const finalizersOf = ({ metadata }: ExperimentDeployment) => metadata.finalizers ?? []

  return {
    hold: (experiment) => patchFinalizers(experiment, [...finalizersOf(experiment), FORK_FINALIZER]),

    release: (experiment) =>
      patchFinalizers(
        experiment,
        finalizersOf(experiment).filter((finalizer) => finalizer !== FORK_FINALIZER),
      ),

    async applyStatus(experiment, status) {
      const { apiVersion, kind, metadata } = experiment
      const { name, namespace } = metadata
      const resourceVersion = left ?? metadata.resourceVersion
      const stored = await client.request({
        verb: 'apply',
        path: pathOf(EXPERIMENT_DEPLOYMENT, { namespace, name, subresource: 'status' }),
        query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', force: true },
        body: { apiVersion, kind, metadata: { name, namespace, resourceVersion }, status },
        expects: kind,
        signal,
      })
      leave(stored, experiment)
    },
  }
}
