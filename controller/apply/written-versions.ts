import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Key } from '../runtime/queue.ts'

interface WrittenFork {
  readonly kind: string
  readonly version: string
}

interface DeletedFork {
  readonly kind: string
  /** `namespace/name` */
  readonly name: string
  readonly uid: string
}

type Written =
  | { readonly is: 'experiment'; readonly version: string }
  | ({ readonly is: 'fork' } & WrittenFork)
  | ({ readonly is: 'deleted' } & DeletedFork)

interface Caches {
  readonly experiments: Pick<Reflector<ExperimentDeployment>, 'caughtUp'>
  /** undefined for a kind that is not watched */
  readonly forks: (kind: string) => Pick<Reflector<KubeObject>, 'caughtUp' | 'caughtUpDeletion'> | undefined
}

/** What passes wrote for each key and the caches may not have yet. */
export class WrittenVersions {
  readonly #caches: Caches
  readonly #written = new Map<Key, readonly Written[]>()

  constructor(caches: Caches) {
    this.#caches = caches
  }

  /** Notes the resourceVersion that a write of the experiment `key` returned. */
  noteExperiment(key: Key, version: string): void {
    this.#note(key, { is: 'experiment', version })
  }

  /** Notes the resourceVersion that a write of the fork of `key` returned. */
  noteFork(key: Key, fork: WrittenFork): void {
    this.#note(key, { is: 'fork', ...fork })
  }

  /** Notes that the fork of `key` was deleted or was gone. */
  noteDeletion(key: Key, deleted: DeletedFork): void {
    this.#note(key, { is: 'deleted', ...deleted })
  }

  /** Resolves when the caches have everything that was written for `key`. It makes no request. */
  async caughtUp(key: Key, signal?: AbortSignal): Promise<void> {
    const written = this.#written.get(key) ?? []
    this.#written.delete(key)
    await Promise.all(written.map((each) => this.#inCache(each, signal)))
  }

  #note(key: Key, written: Written): void {
    this.#written.set(key, [...(this.#written.get(key) ?? []), written])
  }

  async #inCache(written: Written, signal: AbortSignal | undefined): Promise<void> {
    const { experiments, forks } = this.#caches
    switch (written.is) {
      case 'experiment':
        await experiments.caughtUp(written.version, signal)
        return
      case 'fork':
        await forks(written.kind)?.caughtUp(written.version, signal)
        return
      case 'deleted':
        await forks(written.kind)?.caughtUpDeletion(written.name, written.uid, signal)
    }
  }
}
