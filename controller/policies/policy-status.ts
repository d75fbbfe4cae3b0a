import { conditionsFrom } from '../../common/api/conditions.ts'
import { factsOf, levelOf } from '../../common/kube/client/errors.ts'
import { findingsOf, type PolicyDecision, violatedPolicies } from '../../common/outcome/policy-decision.ts'
import {
  actionsOf,
  type ExperimentPolicy,
  type ExperimentPolicyStatus,
  type ValidationAction,
} from '../../common/policy/policy.ts'
import type { Cancel, Clock, Timers } from '../../common/program/clock.ts'
import { type Log, shouldLogRepetition } from '../../common/program/log.ts'
import { DriftBackoff } from '../memory/drift-backoff.ts'
import type { Key } from '../runtime/queue.ts'
import type { PolicyValidity } from './policy-validity.ts'

/** How long it collects the results of passes before it writes. */
const DEBOUNCE_MS = 2_000
/** How often the write waits for experiments without a pass. One whose passes fail must not block it for ever. */
const MAX_WAITS = 30
/** The wait after a failed write. */
const RETRY_MS = 60_000

export interface PolicyStatusOptions {
  readonly policies: { list(): readonly ExperimentPolicy[] }
  /** every experiment that is not being deleted */
  readonly keys: () => Iterable<Key>
  /** whether the experiment is one of them */
  readonly isKnown: (key: Key) => boolean
  /** @throws KubeError */
  readonly write: (policy: ExperimentPolicy, status: ExperimentPolicyStatus) => Promise<void>
  readonly validity: Pick<PolicyValidity, 'hasSchemas' | 'conditionOf'>
  readonly timers: Timers
  readonly clock: Clock
  readonly log: Log
}

/** What the last pass over an experiment decided. */
interface Entry {
  readonly policies: readonly string[]
  readonly violated: ReadonlySet<string>
  /** those of the findings; Deny also when no policy consents to its source, which violates no policy in particular */
  readonly actions: ReadonlySet<ValidationAction>
  /** the number of policy changes before the pass */
  readonly revision: number
}

/**
 * The status of each policy: whether it is valid, how many experiments it covers and how many violate it, from the last
 * pass over each. It is written two seconds after the first change and only when it differs. It waits until the schemas
 * are read and every experiment had a pass, so that a restart writes nothing.
 */
export class PolicyStatus {
  readonly #options: PolicyStatusOptions
  readonly #entries = new Map<Key, Entry>()
  readonly #written = new Map<string, string>() // by uid: the last write, which the cache may not have yet
  readonly #failures = new Map<string, { readonly inRow: number; readonly retryAtMs: number }>() // by uid
  readonly #drift: DriftBackoff // by uid
  #revision = 0
  #waitsLeft = MAX_WAITS
  #cancel: Cancel | undefined
  #dueMs = Number.POSITIVE_INFINITY // when the next write begins
  #writing: Promise<void> = Promise.resolve()
  #isStarted = false
  #isDue = false // whether something was to be written before the start
  #isStopped = false

  constructor(options: PolicyStatusOptions) {
    this.#options = options
    this.#drift = new DriftBackoff(options.timers)
  }

  /** The number of experiments that violate a policy with `action`, among those that had a pass. */
  violating(action: ValidationAction): number {
    return [...this.#entries.values()].filter(({ actions }) => actions.has(action)).length
  }

  /** How many entries all its maps have; 0 when all experiments and policies are gone. For tests. */
  get entryCount(): number {
    return this.#entries.size + this.#written.size + this.#failures.size
  }

  /** Writes from now on, and first what must be written by now. Before that it only collects. */
  start(): void {
    this.#isStarted = true
    if (this.#isDue) this.#writeAfter(DEBOUNCE_MS)
  }

  /** Call this when a policy was added, changed or deleted. Every experiment then needs another pass to count. */
  policiesChanged(): void {
    this.#revision += 1
    this.#waitsLeft = MAX_WAITS
    this.#writeAfter(DEBOUNCE_MS)
  }

  /** Call this when a schema was read, which decides whether a policy is valid. */
  schemasChanged(): void {
    this.#writeAfter(DEBOUNCE_MS)
  }

  /**
   * Call this when the status of a policy changed. If another client wrote it, it will be corrected: ever later while
   * that client undoes each write.
   */
  statusChanged(policy: ExperimentPolicy): void {
    const uid = uidOf(policy)
    if (this.#written.get(uid) === textOf(policy.status ?? {})) return
    if (this.#written.delete(uid)) this.#drift.noteRepair(uid)
    this.#writeAfter(DEBOUNCE_MS)
  }

  /**
   * Records what a pass over `key` decided; undefined when policies do not count the experiment. A pass that ends after
   * its experiment records nothing, because nobody would forget it.
   */
  record(key: Key, decision: PolicyDecision | undefined): void {
    if (!this.#options.isKnown(key)) return
    const policies = !decision || decision.is === 'notRead' ? [] : decision.policies
    const violated = new Set(decision ? violatedPolicies(decision) : [])
    const before = this.#entries.get(key)
    this.#entries.set(key, {
      policies,
      violated,
      actions: new Set(decision ? actionsFor(decision) : []),
      revision: this.#revision,
    })
    const isSame =
      before?.revision === this.#revision &&
      before.policies.join() === policies.join() &&
      before.violated.symmetricDifference(violated).size === 0
    if (!isSame) this.#writeAfter(DEBOUNCE_MS)
  }

  /** Drops what was recorded for `key`, whose experiment is gone. */
  forget(key: Key): void {
    if (this.#entries.delete(key)) this.#writeAfter(DEBOUNCE_MS)
  }

  /** Writes no more. Resolves when the running write has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancel?.()
    await this.#writing
  }

  /** Writes after `delayMs`, or earlier if that was asked for before. */
  #writeAfter(delayMs: number): void {
    const { timers } = this.#options
    this.#isDue = true
    const dueMs = timers.now() + delayMs
    if (!this.#isStarted || this.#isStopped || dueMs >= this.#dueMs) return
    this.#cancel?.()
    this.#dueMs = dueMs
    this.#cancel = timers.after(delayMs, () => {
      this.#dueMs = Number.POSITIVE_INFINITY
      this.#writing = this.#writing.then(() => this.#write())
    })
  }

  async #write(): Promise<void> {
    const { policies, write } = this.#options
    this.#forgetGone()
    if (!this.#isComplete() && this.#waitsLeft > 0) {
      this.#waitsLeft -= 1
      this.#writeAfter(DEBOUNCE_MS)
      return
    }
    for (const uid of policies.list().map(uidOf)) {
      const policy = policies.list().find((each) => uidOf(each) === uid)
      if (!policy) continue // it was deleted during the write of another one
      const status = this.#statusOf(policy)
      const text = textOf(status)
      if (this.#isStopped || textOf(policy.status ?? {}) === text || this.#written.get(uid) === text) continue
      const waitMs = this.#waitMs(uid)
      if (waitMs > 0) {
        this.#writeAfter(waitMs)
        continue
      }
      this.#written.set(uid, text) // before its event comes
      try {
        await write(policy, status)
        this.#failures.delete(uid)
      } catch (error) {
        this.#written.delete(uid)
        this.#noteFailure(policy, error)
        this.#writeAfter(RETRY_MS)
      }
    }
  }

  /** Milliseconds until the status of a policy may be written; 0 or less: now. */
  #waitMs(uid: string): number {
    const retryMs = (this.#failures.get(uid)?.retryAtMs ?? 0) - this.#options.timers.now()
    return Math.max(this.#drift.waitMs(uid), retryMs)
  }

  /** What fails again and again is logged ever less often, until it succeeds. */
  #noteFailure(policy: ExperimentPolicy, error: unknown): void {
    const inRow = (this.#failures.get(uidOf(policy))?.inRow ?? 0) + 1
    this.#failures.set(uidOf(policy), { inRow, retryAtMs: this.#options.timers.now() + RETRY_MS })
    const facts = { policy: policy.metadata.name, failures: inRow, ...factsOf(error) }
    const level = levelOf(error, inRow, 'error')
    if (shouldLogRepetition(inRow)) this.#options.log[level](facts, 'the status of a policy was not written')
  }

  /** Drops experiments and policies that no longer exist. */
  #forgetGone(): void {
    const [keys, uids] = [new Set(this.#options.keys()), new Set(this.#options.policies.list().map(uidOf))]
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key)
    for (const kept of [this.#written, this.#failures])
      for (const uid of kept.keys()) if (!uids.has(uid)) kept.delete(uid)
  }

  #isComplete(): boolean {
    const { keys, validity } = this.#options
    return validity.hasSchemas && [...keys()].every((key) => this.#entries.get(key)?.revision === this.#revision)
  }

  #statusOf(policy: ExperimentPolicy): ExperimentPolicyStatus {
    const { name, generation = 0 } = policy.metadata
    const covered = [...this.#entries.values()].filter(({ policies }) => policies.includes(name))
    const violations = covered.filter(({ violated }) => violated.has(name)).length
    const { validity, clock } = this.#options
    const conditions = conditionsFrom([validity.conditionOf(policy)], policy.status?.conditions ?? [], {
      observedGeneration: generation,
      now: clock(),
    })
    const actions = actionsOf(policy.spec).join()
    return { observedGeneration: generation, experiments: covered.length, violations, conditions, actions }
  }
}

/** What the policies that the experiment violates do about it. Without consent there can be no fork. */
const actionsFor = (decision: PolicyDecision): readonly ValidationAction[] =>
  decision.is === 'notShared' ? ['Deny'] : findingsOf(decision).flatMap(({ actions }) => actions)

const uidOf = ({ metadata }: ExperimentPolicy): string => metadata.uid ?? ''

/** The time of a condition is left out: it moves only with its status. */
const textOf = ({
  observedGeneration,
  experiments,
  violations,
  conditions = [],
  actions,
}: ExperimentPolicyStatus): string =>
  JSON.stringify([
    ...[observedGeneration, experiments, violations, actions],
    ...conditions.map((each) => [each.type, each.status, each.reason, each.message, each.observedGeneration]),
  ])
