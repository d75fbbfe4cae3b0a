import type { ExperimentDeployment } from '../../common/api/types.ts'
import type { Mistake } from '../../common/assess/merged-errors.ts'
import { canonicalJson } from '../../common/json/canonical.ts'
import { visitFields } from '../../common/json/document-order.ts'

/** The mistakes of an update: the new ones, and those that the stored resource has too. */
export interface Ratcheted {
  readonly errors: readonly Mistake[]
  /** only warnings: a stored resource may be older than a rule that it breaks, and must stay changeable */
  readonly known: readonly Mistake[]
}

type Judged = { readonly spec: ExperimentDeployment['spec']; readonly errors: readonly Mistake[] }

/**
 * Splits the mistakes of `now`: `before` has the `known` ones too, with the same path, message and value. It is called
 * only if `now` has mistakes. Expects specs within `brokenLimits`.
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
