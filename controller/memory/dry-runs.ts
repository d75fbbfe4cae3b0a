import { ABSENT, type Known, known, unknown } from '../../common/api/known.ts'
import { MAX_REFUSAL } from '../../common/api/limits.ts'
import { PROMOTION_MANAGER } from '../../common/api/names.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { asWholeObject } from '../../common/kube/reads/object.ts'
import type { Timers } from '../../common/program/clock.ts'
import { isSameSpec } from '../../common/situation/source-has.ts'
import type { DoubtfulWrite } from '../../common/situation/write-in-doubt.ts'
import type { DryRun } from '../../common/strategy/promotion.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import type { Key } from '../runtime/queue.ts'

/** The least time between two dry runs for an experiment. Admission webhooks of others answer each of them. */
const PACE_MS = 10_000
/**
 * How long an answer counts, by what is known then. Nothing tells that a permission or an admission webhook was mended,
 * so a dry run that was refused is made again.
 */
const COUNTS_MS = { known: Number.POSITIVE_INFINITY, unknown: 600_000, absent: PACE_MS } as const
/** How long a pass waits for an answer. */
const DEADLINE_MS = 5_000

/** Failures that are an answer: the account may not ask, or an admission webhook does not support dry runs. */
const REFUSALS: ReadonlySet<KubeError['kind']> = new Set(['forbidden', 'invalid', 'unread'])

interface DryRunsOptions {
  readonly client: Pick<KubeClient, 'request'>
  readonly timers: Pick<Timers, 'now'>
  /** whether there is such an experiment; of one that is deleted during its pass nothing is remembered */
  readonly isKnown: (key: Key) => boolean
}

interface Asked {
  readonly of: string
  readonly changesNothing: Known<boolean>
  readonly askedMs: number
}

/** For how many milliseconds the answer still counts. */
const restMs = ({ changesNothing, askedMs }: Asked, nowMs: number): number =>
  askedMs + COUNTS_MS[changesNothing.is] - nowMs

function toldAt(asked: Asked, nowMs: number): DryRun {
  const { of, changesNothing } = asked
  const againInMs = restMs(asked, nowMs)
  return { of, changesNothing, ...(againInMs === Number.POSITIVE_INFINITY ? {} : { againInMs }) }
}

/**
 * Whether a write of a source would change anything that the API server stores, as a dry run of that write shows. An
 * answer is kept for the write and the version of the source, a refusal for ten minutes.
 */
export class DryRuns {
  readonly #options: DryRunsOptions
  readonly #asked = new Map<Key, Asked>()

  constructor(options: DryRunsOptions) {
    this.#options = options
  }

  /** How many answers it remembers; 0 when all experiments are gone. For tests. */
  get size(): number {
    return this.#asked.size
  }

  /** The answer for `write`, or when the experiment `key` may ask again. Does not throw a KubeError. */
  async of(key: Key, kind: WorkloadKind, write: DoubtfulWrite): Promise<DryRun> {
    const { of } = write
    const { timers, isKnown } = this.#options
    const [before, nowMs] = [this.#asked.get(key), timers.now()]
    if (before?.of === of && restMs(before, nowMs) > 0) return toldAt(before, nowMs)
    const paced = before && { of, changesNothing: ABSENT, askedMs: before.askedMs }
    if (paced && restMs(paced, nowMs) > 0) return toldAt(paced, nowMs)
    const asked = { of, askedMs: nowMs }
    if (isKnown(key)) this.#asked.set(key, { ...asked, changesNothing: ABSENT })
    const changesNothing = await this.#answer(kind, write)
    if (isKnown(key)) this.#asked.set(key, { ...asked, changesNothing })
    return toldAt({ ...asked, changesNothing }, nowMs)
  }

  /** Forgets an experiment that is gone. */
  forget(key: Key): void {
    this.#asked.delete(key)
  }

  /** Absent: the API server did not decide about the write. */
  async #answer(kind: WorkloadKind, { source, patch }: DoubtfulWrite): Promise<Known<boolean>> {
    const { name, namespace = '' } = source.metadata
    try {
      const answer = await this.#options.client.request({
        verb: 'patch',
        contentType: 'application/merge-patch+json',
        path: resourcePath(kind, { namespace, name }),
        query: { dryRun: 'All', fieldManager: PROMOTION_MANAGER },
        body: patch,
        expects: kind.kind,
        deadlineMs: DEADLINE_MS,
      })
      return known(isSameSpec(asWholeObject(answer), source))
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      const { message } = error
      return REFUSALS.has(error.kind) ? unknown(message.slice(0, MAX_REFUSAL)) : ABSENT
    }
  }
}
