import type { ConditionDraft } from '../../common/api/conditions.ts'
import { formatErrors } from '../../common/facts/decision.ts'
import type { ExperimentPolicy } from '../../common/policy/policy.ts'
import { type PolicyMistake, policyMistakes } from '../../common/policy/policy-mistakes.ts'
import type { KindShape } from '../../common/policy/unmatched-paths.ts'

/** Says of each policy whether everything in it can match something. Checks a policy again only when it changed. */
export class PolicyValidity {
  readonly #kinds: () => readonly KindShape[]
  readonly #known = new Map<string, Pick<ExperimentPolicy, 'spec'> & { readonly mistakes: readonly PolicyMistake[] }>()

  constructor(kinds: () => readonly KindShape[]) {
    this.#kinds = kinds
  }

  /** Whether there is a schema by which paths can be checked. */
  get hasSchemas(): boolean {
    return this.#kinds().some(({ shape }) => shape !== undefined)
  }

  /** Call this when a schema was read. Every policy is then checked again. */
  schemasChanged(): void {
    this.#known.clear()
  }

  /** Call this when the policy was deleted. */
  forget(name: string): void {
    this.#known.delete(name)
  }

  /** How many policies it remembers. For tests. */
  get size(): number {
    return this.#known.size
  }

  /** How many mistakes are certain in all of `policies`. */
  count(policies: readonly ExperimentPolicy[]): number {
    return policies.flatMap((policy) => this.#mistakes(policy).filter(({ isCertain }) => isCertain)).length
  }

  /** The condition `Valid` of a policy. */
  conditionOf(policy: ExperimentPolicy): ConditionDraft {
    const found = this.#mistakes(policy)
    const certain = found.filter(({ isCertain }) => isCertain)
    const message = formatErrors((certain.length > 0 ? certain : found).map(({ error }) => error))
    if (certain.length > 0) return { type: 'Valid', status: 'False', reason: 'NeverMatches', message }
    if (found.length > 0) return { type: 'Valid', status: 'Unknown', reason: 'MayNotMatch', message }
    if (this.hasSchemas) return { type: 'Valid', status: 'True', reason: 'Valid', message: '' }
    return { type: 'Valid', status: 'Unknown', reason: 'SchemaNotAvailable', message: 'no schema was read yet' }
  }

  #mistakes({ metadata: { name }, spec }: ExperimentPolicy): readonly PolicyMistake[] {
    const known = this.#known.get(name)
    if (known?.spec === spec) return known.mistakes
    const mistakes = policyMistakes(spec, this.#kinds())
    this.#known.set(name, { spec, mistakes })
    return mistakes
  }
}
