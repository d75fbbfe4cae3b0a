import { isEqual } from '../api/equal.ts'
import { type KubeObject, objectOr } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import type { WorkloadKind } from './kind.ts'

/**
 * The members of a fork's `spec` that differ between what was derived `before` and what is derived now, though the API
 * server lets no update change them. Both are derived, so no default of the server's makes a difference.
 */
export function immutableChanges(
  { kind, mutable }: WorkloadKind,
  before: KubeObject,
  after: KubeObject,
): readonly FieldError[] {
  if (mutable === undefined) return []
  const [from, to] = [objectOr(before.spec), objectOr(after.spec)]
  const members = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  return members
    .filter((member) => !mutable.includes(member) && !isEqual(from[member] ?? null, to[member] ?? null))
    .map((member) => ({
      field: `spec.overrideSpec.${member}`,
      message: `no update of a ${kind} may change this; delete the experiment and create it anew`,
      cause: 'FieldValueForbidden' as const,
    }))
}
