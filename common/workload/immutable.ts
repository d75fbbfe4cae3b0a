import type { KubeObject } from '../api/object.ts'
import type { FieldError } from '../api/types.ts'
import { isEqual } from '../json/equal.ts'
import { objectOr } from '../json/json.ts'
import type { WorkloadKind } from './kind.ts'

/**
 * The fields of a fork's `spec` that differ between two derived forks, although the API server refuses to update them.
 * Both forks are derived, so defaults of the API server do not count as differences.
 */
export function immutableChanges(
  { kind, mutableFields }: WorkloadKind,
  before: KubeObject,
  after: KubeObject,
): readonly FieldError[] {
  if (mutableFields === undefined) return []
  const [from, to] = [objectOr(before.spec), objectOr(after.spec)]
  const members = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort()
  return members
    .filter((member) => !mutableFields.includes(member) && !isEqual(from[member] ?? null, to[member] ?? null))
    .map((member) => ({
      field: `spec.overrideSpec.${member}`,
      message: `immutable for ${kind}s; delete the experiment and create it again`,
      cause: 'FieldValueForbidden' as const,
    }))
}
