import type { ExperimentPolicy, ExperimentPolicyStatus } from '../common/api/policy.ts'
import type { Cancel, Timers } from '../common/clock.ts'
import { factsOf } from '../common/kube/errors.ts'
import type { Log } from '../common/log.ts'
import type { Key } from './reconcile/observe.ts'
import { type Judgement, violatedIn } from './reconcile/policy-check.ts'

/** Many passes are worth one write of a policy. */
const DEBOUNCE_MS = 2_000
/** So many times it waits for experiments that were not yet looked at; one that cannot be must not hold up all. */
const PATIENCE = 30
/** A status that could not be written is tried again after this. */
const RETRY_MS = 60_000

interface PolicyStatusOptions {
  readonly policies: () => readonly ExperimentPolicy[]
  /** every experiment that is not being deleted */
  readonly keys: () => Iterable<Key>
  /** @throws KubeError */
  readonly write: (policy: ExperimentPolicy, status: ExperimentPolicyStatus) => Promise<void>
  readonly timers: Timers
  readonly log: Log
}

interface Entry {
  readonly policies: readonly string[]
  readonly violated: ReadonlySet<string>
  /** of no policy in particular where none consents to its source */
  readonly isViolating: boolean
  /** as of which change of the policies */
  readonly revision: number
}

/**
 * How many experiments each policy covers and how many break it, from what the passes said last. Written a while after
 * the last news, only where it is not so already, and not before every experiment was looked at: a restart writes nothing.
 */
export class PolicyStatus {
  readonly #options: PolicyStatusOptions
  readonly #entries = new Map<Key, Entry>()
  readonly #written = new Map<string, string>() // by uid: the cache may not tell it yet
  #revision = 0
  #patience = PATIENCE
  #cancel: Cancel | undefined
  #writing: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: PolicyStatusOptions) {
    this.#options = options
  }

  /** Experiments that break a policy, as far as they were judged. */
  get violating(): number {
    return [...this.#entries.values()].filter(({ isViolating }) => isViolating).length
  }

  /** Entries of every map in here; 0 once all experiments and policies came and went. */
  get held(): number {
    return this.#entries.size + this.#written.size
  }

  /** Policies are others now: what was said before counts no more. */
  changed(): void {
    this.#revision += 1
    this.#patience = PATIENCE
    this.#arm(DEBOUNCE_MS)
  }

  /** The status of a policy is so now. Where somebody else wrote it, it is put right. */
  heard(policy: ExperimentPolicy): void {
    const uid = uidOf(policy)
    if (this.#written.get(uid) === textOf(policy.status ?? {})) return
    this.#written.delete(uid)
    this.#arm(DEBOUNCE_MS)
  }

  /** What a pass over `key` heard; undefined: policies do not count it. */
  judged(key: Key, judgement: Judgement | undefined): void {
    const policies = !judgement || judgement.is === 'unread' ? [] : judgement.policies
    const violated = new Set(judgement ? violatedIn(judgement) : [])
    const before = this.#entries.get(key)
    this.#entries.set(key, {
      policies,
      violated,
      isViolating: judgement?.is === 'unshared' || violated.size > 0,
      revision: this.#revision,
    })
    const isSame =
      before?.revision === this.#revision &&
      before.policies.join() === policies.join() &&
      before.violated.symmetricDifference(violated).size === 0
    if (!isSame) this.#arm(DEBOUNCE_MS)
  }

  /** `key` is gone. */
  forget(key: Key): void {
    if (this.#entries.delete(key)) this.#arm(DEBOUNCE_MS)
  }

  /** Resolves when nothing is written any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await this.#writing
  }

  #arm(delayMs: number): void {
    if (this.#isStopped || this.#cancel) return
    this.#cancel = this.#options.timers.after(delayMs, () => {
      this.#cancel = undefined
      this.#writing = this.#writing.then(() => this.#tell())
    })
  }

  async #tell(): Promise<void> {
    const { policies, write, log } = this.#options
    this.#forgetTheGone()
    if (!this.#isComplete() && this.#patience > 0) {
      this.#patience -= 1
      this.#arm(DEBOUNCE_MS)
      return
    }
    for (const policy of policies()) {
      const uid = uidOf(policy)
      const status = this.#statusOf(policy)
      const text = textOf(status)
      if (this.#isStopped || textOf(policy.status ?? {}) === text || this.#written.get(uid) === text) continue
      try {
        await write(policy, status)
        this.#written.set(uid, text)
      } catch (error) {
        log.error({ policy: policy.metadata.name, ...factsOf(error) }, 'the status of a policy was not written')
        this.#arm(RETRY_MS)
      }
    }
  }

  /** A pass may have ended after its experiment. */
  #forgetTheGone(): void {
    const [keys, uids] = [new Set(this.#options.keys()), new Set(this.#options.policies().map(uidOf))]
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key)
    for (const uid of this.#written.keys()) if (!uids.has(uid)) this.#written.delete(uid)
  }

  #isComplete(): boolean {
    for (const key of this.#options.keys()) if (this.#entries.get(key)?.revision !== this.#revision) return false
    return true
  }

  #statusOf({ metadata: { name, generation = 0 } }: ExperimentPolicy): ExperimentPolicyStatus {
    const covered = [...this.#entries.values()].filter(({ policies }) => policies.includes(name))
    const violations = covered.filter(({ violated }) => violated.has(name)).length
    return { observedGeneration: generation, experiments: covered.length, violations }
  }
}

const uidOf = ({ metadata }: ExperimentPolicy): string => metadata.uid ?? ''

const textOf = ({ observedGeneration, experiments, violations }: ExperimentPolicyStatus): string =>
  `${observedGeneration} ${experiments} ${violations}`
