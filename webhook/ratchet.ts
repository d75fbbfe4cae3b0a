import { canonicalJson } from '../common/api/canonical.ts'
import { visitFields } from '../common/api/document-order.ts'
import type { ExperimentDeployment, FieldError } from '../common/api/types.ts'

/** What is wrong, and what merely was wrong before. */
export interface Ratcheted {
  readonly errors: readonly FieldError[]
  /** a stored resource may be older than the rule it breaks: who changes something else is only told */
  readonly known: readonly FieldError[]
}

/** A spec, and what is wrong with it. */
interface Judged {
  readonly spec: ExperimentDeployment['spec']
  readonly errors: readonly FieldError[]
}

/**
 * Of what is wrong with `now` what was wrong `before` too: at the same path, in the same words, of the same value. The
 * former resource is judged only where there is something to compare. Expects specs within `brokenLimits`.
 */
export function ratchet(now: Judged, before: () => Judged | undefined): Ratcheted {
  const former = now.errors.length === 0 ? undefined : before()
  if (!former || former.errors.length === 0) return { errors: now.errors, known: [] }
  const stored = new Set(identities(former))
  const isKnown = identities(now).map((identity) => stored.has(identity))
  return {
    errors: now.errors.filter((_error, index) => !isKnown[index]),
    known: now.errors.filter((_error, index) => isKnown[index]),
  }
}

function identities({ spec, errors }: Judged): readonly string[] {
  const wanted = new Set(errors.map(({ field }) => field))
  const values = new Map<string, unknown>()
  visitFields('spec', spec, (field, value) => wanted.has(field) && values.set(field, value))
  return errors.map(({ field, message }) => JSON.stringify([field, message, canonicalJson(values.get(field) ?? null)]))
}
