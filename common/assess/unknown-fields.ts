import { formatPath } from '../json/field-path.ts'
import { isObject } from '../json/json.ts'
import type { KnownFields, SpecError } from '../override/spec-schema.ts'

/**
 * The fields of a merged template that Kubernetes knows and the CRD of its kind does not: an Argo that is older than
 * the cluster. A strict apply would refuse the fork. Recurses as deep as `known`.
 */
export function unknownFieldErrors(
  kind: string,
  template: unknown,
  known: KnownFields | undefined,
): readonly SpecError[] {
  const errors: SpecError[] = []
  const message = `Kubernetes knows this field, but the ${kind}s of this cluster do not have it; remove it`
  const visit = (value: unknown, { members, items }: KnownFields, path: SpecError['path']): void => {
    if (Array.isArray(value)) {
      if (items) for (const [index, item] of value.entries()) visit(item, items, [...path, index])
      return
    }
    if (!isObject(value) || !members) return
    for (const key in value) {
      const below = members.get(key)
      const here = [...path, key]
      if (below) visit(value[key], below, here)
      else errors.push({ path: here, field: formatPath('spec', here), message, cause: 'FieldValueInvalid' })
    }
  }
  if (known) visit(template, known, ['template'])
  return errors
}
