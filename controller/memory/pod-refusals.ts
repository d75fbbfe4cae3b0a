import { ABSENT, type Known, known, unknown } from '../../common/api/known.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { lastTimeOf } from '../../common/fork/pod-trouble.ts'
import { member, textOr } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { RESOURCES, resourcePath } from '../../common/kube/client/resources.ts'
import { wholeItems } from '../../common/kube/reads/object.ts'
import type { Timers } from '../../common/program/clock.ts'
import { TtlCache } from '../../common/program/ttl-cache.ts'

/** How long an answer is used: half the time between two passes of an experiment that nothing wakes. */
const KEPT_MS = 30_000
/** How long a pass waits for the Events. They only explain what the status of the fork shows. */
const DEADLINE_MS = 5_000
/** The most Events that are read. client-go lets a controller send 25 about an object, then 12 an hour; they expire. */
const LIMIT = 50

/** The longest note of an Event that is used, in characters: anybody may write one, and each is kept for a while. */
const MAX_NOTE = 16_384

/** How the last attempt to create a pod ended. */
const REFUSED = 'FailedCreate'
const ATTEMPTS: ReadonlySet<unknown> = new Set([REFUSED, 'SuccessfulCreate'])

/** Why pods of workloads were refused, as the Events about each workload say. */
export class PodRefusals {
  readonly #client: Pick<KubeClient, 'request'>
  readonly #recent: TtlCache<Known<string>>

  constructor(client: Pick<KubeClient, 'request'>, timers: Pick<Timers, 'now'>) {
    this.#client = client
    this.#recent = new TtlCache(timers, KEPT_MS)
  }

  /** Why the last pod of `workload` was refused; absent if it was created. Does not throw a KubeError. */
  of({ metadata: { namespace = '', uid = '' } }: KubeObject): Promise<Known<string>> {
    return this.#recent.of(uid, async () => ({ value: await this.#read(namespace, uid), isLasting: true }))
  }

  async #read(namespace: string, uid: string): Promise<Known<string>> {
    const path = resourcePath(RESOURCES.Event, { namespace })
    const query = { fieldSelector: `regarding.uid=${uid}`, limit: LIMIT }
    try {
      return refusalIn(await this.#client.request({ verb: 'list', path, query, deadlineMs: DEADLINE_MS }))
    } catch (error) {
      if (error instanceof KubeError) return unknown('the Events about the fork')
      throw error
    }
  }
}

/**
 * What the latest of the Events in `list` says, if that is a refusal. Those of one second are in their order already.
 * @throws KubeError if one is too large to be read: it may be the latest
 */
function refusalIn(list: unknown): Known<string> {
  const attempts = wholeItems(list).filter((event) => ATTEMPTS.has(member(event, 'reason')))
  const latest = attempts.toSorted((a, b) => lastTimeOf(a) - lastTimeOf(b)).at(-1)
  if (member(latest, 'reason') !== REFUSED) return ABSENT
  const note = textOr(member(latest, 'note'), REFUSED)
  return note.length > MAX_NOTE ? unknown(`the note of an Event, longer than ${MAX_NOTE} characters,`) : known(note)
}
