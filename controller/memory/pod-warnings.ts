import { type Known, known, unknown } from '../../common/api/known.ts'
import { type KubeObject, UNREAD } from '../../common/api/object.ts'
import { type PodWarning, podWarning } from '../../common/fork/pod-trouble.ts'
import { at, isObject, listOr, member, textOr } from '../../common/json/json.ts'
import { type KubeClient, limited } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import type { Timers } from '../../common/program/clock.ts'
import { Semaphore } from '../../common/program/semaphore.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'

/** How long a list is used: all forks of a namespace share it. */
const KEPT_MS = 30_000
/** How long a pass waits for the Events. They only explain what the status of the fork shows. */
const DEADLINE_MS = 5_000
/** How many Events a page has, how many pages are read, and how long they may be together. Most Events have 1 KiB. */
const PAGE = 500
const PAGES = 4
const MAX_BYTES = 2 * 1024 * 1024
/** How many namespaces are read at once. */
const LISTS_AT_ONCE = 4

/** The Warnings of one list, by fork. */
interface Read {
  readonly byFork: ReadonlyMap<string, readonly PodWarning[]>
  /** whether there are more that were not read */
  readonly isPartial: boolean
  /** the fork of which only some may be read: the list ends with it */
  readonly last?: string | undefined
}

/** Warnings about the pods of forks: one list of Events for each namespace. */
export class PodWarnings {
  readonly #client: Pick<KubeClient, 'request'>
  readonly #recent: TtlCache<Read>

  constructor(client: Pick<KubeClient, 'request'>, timers: Pick<Timers, 'now'>) {
    this.#client = limited(client, new Semaphore(LISTS_AT_ONCE))
    this.#recent = new TtlCache(timers, KEPT_MS)
  }

  /** Those about the pods of `fork`; unknown where there are more than are read. Does not throw a KubeError. */
  async of({ metadata: { namespace = '', name } }: KubeObject): Promise<Known<readonly PodWarning[]>> {
    const { byFork, isPartial, last } = await this.#recent.of(namespace, async () => ({
      value: await this.#read(namespace),
      isLasting: true,
    }))
    const found = byFork.get(name) ?? []
    return isPartial && (found.length === 0 || name === last) ? unknown('the Events about its pods') : known(found)
  }

  /** The pages of one list. An Event is called as its pod, so those about one pod are behind each other. */
  async #read(namespace: string): Promise<Read> {
    const byFork = new Map<string, PodWarning[]>()
    let next: string | undefined
    let last: string | undefined
    let isPartial = false
    let bytes = 0
    try {
      for (let page = 0; page < PAGES; page += 1) {
        const list = await this.#page(namespace, next, MAX_BYTES - bytes)
        for (const event of listOr(member(list, 'items'))) {
          const warning = podWarning(event)
          bytes += JSON.stringify(event).length
          if (isObject(event) && Object.hasOwn(event, UNREAD)) isPartial = true
          if (!warning) continue
          last = warning.fork
          byFork.set(last, [...(byFork.get(last) ?? []), warning])
        }
        next = textOr(at(list, 'metadata', 'continue'), '') || undefined
        if (next === undefined) return { byFork, isPartial }
        if (bytes >= MAX_BYTES) break
      }
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
    }
    return { byFork, isPartial: true, last }
  }

  #page(namespace: string, next: string | undefined, maxBytes: number): Promise<unknown> {
    const path = resourcePath(RESOURCES.Event, { namespace })
    const query = { fieldSelector: 'regarding.kind=Pod,type=Warning', limit: PAGE, continue: next }
    return this.#client.request({ verb: 'list', path, query, deadlineMs: DEADLINE_MS, maxBytes })
  }
}
