import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Reflector } from '../../common/kube/watch/reflector.ts'
import type { Key } from '../runtime/queue.ts'

/** A write, and how a cache shows that it has it. */
type WrittenVersion =
  | { readonly is: 'experiment'; readonly version: string }
  | { readonly is: 'fork'; readonly kind: string; readonly version: string }
  | { readonly is: 'pod'; readonly version: string }
  | { readonly is: 'analysisRun'; readonly version: string }
  /** The fork was deleted or was gone. `name` is `namespace/name`. */
  | { readonly is: 'deletedFork'; readonly kind: string; readonly name: string; readonly uid: string }

interface Caches {
  readonly experiments: Pick<Reflector<ExperimentDeployment>, 'caughtUp'>
  /** absent where pods may not be read */
  readonly pods?: Pick<Reflector<unknown>, 'caughtUp'> | undefined
  /** absent where analyses are not installed */
  readonly runs?: Pick<Reflector<unknown>, 'caughtUp'> | undefined
  /** undefined for a kind that is not watched */
  readonly forks: (kind: string) => Pick<Reflector<KubeObject>, 'caughtUp' | 'caughtUpDeletion'> | undefined
}

/** What passes wrote for each key and the caches may not have yet. */
export class WrittenVersions {
  readonly #caches: Caches
  readonly #written = new Map<Key, readonly WrittenVersion[]>()

  constructor(caches: Caches) {
    this.#caches = caches
  }

  /** For how many experiments something is noted; 0 when all passes have ended. For tests. */
  get entryCount(): number {
    return this.#written.size
  }

  /** Notes a write for the experiment `key`. */
  note(key: Key, written: WrittenVersion): void {
    this.#written.set(key, [...(this.#written.get(key) ?? []), written])
  }

  /** The function with which a pass over `key` notes its writes. */
  of(key: Key): { readonly note: (written: WrittenVersion) => void } {
    return { note: (written) => this.note(key, written) }
  }

  /** Resolves when the caches have everything that was written for `key`. It makes no request. */
  async caughtUp(key: Key, signal?: AbortSignal): Promise<void> {
    const written = this.#written.get(key) ?? []
    this.#written.delete(key)
    await Promise.all(written.map((each) => this.#inCache(each, signal)))
  }

  #inCache(written: WrittenVersion, signal: AbortSignal | undefined): Promise<void> | undefined {
    const { experiments, forks, pods, runs } = this.#caches
    switch (written.is) {
      case 'experiment':
        return experiments.caughtUp(written.version, signal)
      case 'pod':
        return pods?.caughtUp(written.version, signal)
      case 'analysisRun':
        return runs?.caughtUp(written.version, signal)
      case 'fork':
        return forks(written.kind)?.caughtUp(written.version, signal)
      case 'deletedFork':
        return forks(written.kind)?.caughtUpDeletion(written.name, written.uid, signal)
    }
  }
}
