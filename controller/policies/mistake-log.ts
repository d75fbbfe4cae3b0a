import type { ExperimentPolicy } from '../../common/policy/policy.ts'
import type { Log } from '../../common/program/log.ts'
import type { PolicyValidity } from './policy-validity.ts'

interface MistakeLogOptions {
  readonly policies: { list(): readonly ExperimentPolicy[] }
  readonly validity: Pick<PolicyValidity, 'conditionOf'>
  readonly log: Log
}

/** Logs what can match nothing in each policy, once. It is for an installation that writes no status of policies. */
export class MistakeLog {
  readonly #options: MistakeLogOptions
  readonly #logged = new Map<string, string>() // by name: the message
  #isStarted = false

  constructor(options: MistakeLogOptions) {
    this.#options = options
  }

  /** Logs from now on, and first what is wrong already. */
  start(): void {
    this.#isStarted = true
    this.look()
  }

  /** Call this when a policy or a schema has changed. Does nothing before the start. */
  look(): void {
    if (!this.#isStarted) return
    const { policies, validity, log } = this.#options
    const before = new Map(this.#logged)
    this.#logged.clear()
    for (const policy of policies.list()) {
      const { name } = policy.metadata
      const { status, message } = validity.conditionOf(policy)
      if (status !== 'False') continue
      this.#logged.set(name, message)
      if (before.get(name) !== message)
        log.warn({ policy: name, mistakes: message }, 'a part of a policy matches nothing')
    }
  }
}
