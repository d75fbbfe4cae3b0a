import type { KubeObject } from '../../common/api/object.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { eventually } from '../../sandbox/eventually.ts'

/** A line of a watch. */
interface Event {
  readonly type: string
  readonly object: KubeObject
}

/** Counts which objects are ready, and when the last of them changed. */
export class Crowd {
  readonly #isReady: (object: KubeObject) => boolean
  readonly #ready = new Set<string>()
  /** when the last event arrived, in milliseconds of `performance.now` */
  changedMs = performance.now()
  /** how many events arrived */
  changes = 0

  constructor(isReady: (object: KubeObject) => boolean) {
    this.#isReady = isReady
  }

  /** How many objects are ready. */
  get size(): number {
    return this.#ready.size
  }

  /** A new watch begins with all objects that there are. */
  restart(): void {
    this.#ready.clear()
  }

  /** Follows one event. */
  take({ type, object }: Event): void {
    if (type === 'ERROR') throw new Error(`the watch failed: ${JSON.stringify(object)}`)
    const { namespace, name } = object.metadata
    const key = `${namespace}/${name}`
    if (type !== 'DELETED' && this.#isReady(object)) this.#ready.add(key)
    else this.#ready.delete(key)
    this.changes += 1
    this.changedMs = performance.now()
  }
}

/** A watch on a collection. Polling its list would cost the API server more than what is measured. */
export interface CrowdWatch {
  readonly crowd: Crowd
  /** resolves when `count` objects are ready. @throws Error after `deadlineMs` */
  readonly ready: (count: number, deadlineMs: number) => Promise<void>
  /** resolves when nothing has changed for `quietMs`. @throws Error after `deadlineMs` */
  readonly quiet: (quietMs: number, deadlineMs: number) => Promise<void>
  readonly stop: () => void
}

interface WatchCrowdOptions {
  readonly client: KubeClient
  readonly path: string
  readonly isReady: (object: KubeObject) => boolean
}

/** Watches the collection at `path`, from the objects that it has now. The API server may end a watch at any time. */
export async function watchCrowd({ client, path, isReady }: WatchCrowdOptions): Promise<CrowdWatch> {
  const stopping = new AbortController()
  const crowd = new Crowd(isReady)
  const { signal } = stopping
  const open = () => client.stream({ path, query: { watch: true }, signal })
  const broken = new AbortController()
  const follow = async (first: AsyncIterable<string>) => {
    for (let lines = first; !signal.aborted; lines = await open()) {
      crowd.restart()
      for await (const line of lines) crowd.take(JSON.parse(line))
    }
  }
  follow(await open()).catch((error: unknown) => broken.abort(error))
  const until = (what: string, deadlineMs: number, look: () => void) =>
    eventually(what, deadlineMs, look, { pauseMs: 10, signal: broken.signal })
  return {
    crowd,
    ready: (count, deadlineMs) =>
      until(`${count} objects at ${path}`, deadlineMs, () => {
        if (crowd.size < count) throw new Error(`${crowd.size} are ready`)
      }),
    quiet: (quietMs, deadlineMs) =>
      until(`${quietMs} ms without a change at ${path}`, deadlineMs, () => {
        const sinceMs = performance.now() - crowd.changedMs
        if (sinceMs < quietMs) throw new Error(`the last was ${sinceMs.toFixed(0)} ms ago`)
      }),
    stop: () => stopping.abort(new Error('the watch is no longer needed')),
  }
}
