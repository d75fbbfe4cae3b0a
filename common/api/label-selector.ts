import { at, isObject, listOr, member, objectOr, textOr } from '../json/json.ts'
import { anyText, arrayOf, map, object, optional, text, word } from '../json/structure.ts'
import type { Labels } from './object.ts'

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const

interface Requirement {
  readonly key: string
  readonly operator: (typeof OPERATORS)[number]
  readonly values?: readonly string[]
}

const REQUIREMENT = object<Requirement>({
  key: text(317), // 253 of a DNS subdomain, a slash and 63 of a name
  operator: word(OPERATORS),
  values: optional(arrayOf(anyText(63), 64)),
})

/** A `metav1.LabelSelector` as our kinds have it. */
export const LABEL_SELECTOR = object<{
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly Requirement[]
}>({
  matchLabels: optional(map(anyText(63), 64)),
  matchExpressions: optional(arrayOf(REQUIREMENT, 64)),
})

/** Whether a `metav1.LabelSelector` selects `labels`. An empty one selects all, an absent or unknown one none. */
export function selects(selector: unknown, labels: Labels): boolean {
  if (!isObject(selector)) return false
  const pairs = objectOr(selector.matchLabels)
  for (const key in pairs) if (member(labels, key) !== pairs[key]) return false
  return listOr(selector.matchExpressions).every((expression) => matches(expression, labels))
}

function matches(expression: unknown, labels: Labels): boolean {
  // a label may have the name of an inherited member, such as `constructor`
  const value = member(labels, textOr(at(expression, 'key'), ''))
  const values = listOr(at(expression, 'values'))
  switch (at(expression, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    default:
      return false
  }
}

/**
 * A `metav1.LabelSelector` as the API server reads it in the query of a list: its requirements, to be joined by commas.
 * None for one that selects everything, or nothing that is known.
 */
export function requirementsOf(selector: unknown): readonly string[] {
  const labels = Object.entries(objectOr(member(selector, 'matchLabels'))).map(([key, value]) => `${key}=${value}`)
  return [...labels, ...listOr(member(selector, 'matchExpressions')).map(requirement)]
}

function requirement(expression: unknown): string {
  const key = textOr(at(expression, 'key'), '')
  const values = `(${listOr(at(expression, 'values')).map(String).join(',')})`
  switch (at(expression, 'operator')) {
    case 'In':
      return `${key} in ${values}`
    case 'NotIn':
      return `${key} notin ${values}`
    case 'DoesNotExist':
      return `!${key}`
    default:
      return key
  }
}
