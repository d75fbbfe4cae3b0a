import { decodeExperiment } from '../../common/api/decode.ts'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { orUndefined } from '../../common/kube/reads/object.ts'
import type { Key } from '../runtime/queue.ts'

interface ExperimentReadsOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly cached: { get(key: Key): ExperimentDeployment | undefined }
}

/**
 * Reads experiments from the cache, but not one that a write reported as outdated: a watch can be silent for minutes,
 * and a fork of a deleted experiment would be created and collected again and again.
 */
export class ExperimentReads {
  readonly #options: ExperimentReadsOptions
  /** objects of the cache; the next change of an experiment is another object */
  readonly #doubted = new WeakSet<object>()

  constructor(options: ExperimentReadsOptions) {
    this.#options = options
  }

  /**
   * Call this when the API server says that `experiment` is gone or has changed. It is read live until the cache has
   * it.
   */
  doubt(experiment: object): void {
    this.#doubted.add(experiment)
  }

  /** The experiment of `key`; undefined if it is gone or another one has its name. @throws KubeError */
  async get(key: Key, signal: AbortSignal): Promise<ExperimentDeployment | undefined> {
    const { client, cached } = this.#options
    const found = cached.get(key)
    if (!found || !this.#doubted.has(found)) return found
    const { name, namespace, uid } = found.metadata
    const path = resourcePath(EXPERIMENT_DEPLOYMENT, { namespace, name })
    const live = await orUndefined(client.request({ verb: 'get', path, signal }))
    const decoded = live?.metadata.uid === uid ? decodeExperiment(live, namespace) : undefined
    return decoded?.is === 'experiment' ? decoded.experiment : undefined
  }
}
