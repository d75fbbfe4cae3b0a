import type { ConditionDraft } from '../../common/api/conditions.ts'
import { formatErrors } from '../../common/plan/decision.ts'
import type { ExperimentPolicy, ExperimentPolicySpec } from '../../common/policy/policy.ts'
import { type PolicyMistake, policyMistakes } from '../../common/policy/policy-mistakes.ts'
import type { KindShape } from '../../common/policy/unmatched-paths.ts'

/** Says of each policy whether everything in it can match something. Checks a policy again only when it changed. */
export class PolicyValidity {
  readonly #kinds: () => readonly KindShape[]
  #known = new WeakMap<ExperimentPolicySpec, readonly PolicyMistake[]>()

  constructor(kinds: () => readonly KindShape[]) {
    this.#kinds = kinds
  }

  /** Whether there is a schema by which paths can be checked. */
  get hasSchemas(): boolean {
    return this.#kinds().some(({ shape }) => shape !== undefined)
  }

  /** Call this when a schema was read. Every policy is then checked again. */
  schemasChanged(): void {
    this.#known = new WeakMap()
  }

  /** How many mistakes are certain in all of `policies`. */
  count(policies: readonly ExperimentPolicy[]): number {
    return policies.flatMap(({ spec }) => this.#mistakes(spec).filter(({ isCertain }) => isCertain)).length
  }

  /** The condition `Valid` of a policy. */
  conditionOf({ spec }: ExperimentPolicy): ConditionDraft {
    const found = this.#mistakes(spec)
    const certain = found.filter(({ isCertain }) => isCertain)
    const message = formatErrors((certain.length > 0 ? certain : found).map(({ error }) => error))
    if (certain.length > 0) return { type: 'Valid', status: 'False', reason: 'NeverMatches', message }
    if (found.length > 0) return { type: 'Valid', status: 'Unknown', reason: 'MayNotMatch', message }
    if (this.hasSchemas) return { type: 'Valid', status: 'True', reason: 'Valid', message: '' }
    return { type: 'Valid', status: 'Unknown', reason: 'SchemaNotAvailable', message: 'no schema was read yet' }
  }

  #mistakes(spec: ExperimentPolicySpec): readonly PolicyMistake[] {
    const known = this.#known.get(spec) ?? policyMistakes(spec, this.#kinds())
    this.#known.set(spec, known)
    return known
  }
}
