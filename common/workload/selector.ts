import { at, isObject, listOr, member, objectOr, textOr } from '../api/object.ts'
import type { Labels } from './kind.ts'

/**
 * Whether a `metav1.LabelSelector` selects pods of `labels`: an empty one selects all, none at all nothing. One with an
 * operator we do not know selects nothing.
 */
export function selects(selector: unknown, labels: Labels): boolean {
  if (!isObject(selector)) return false
  const pairs = Object.entries(objectOr(selector.matchLabels))
  return (
    pairs.every(([key, value]) => member(labels, key) === value) &&
    listOr(selector.matchExpressions).every((expression) => meets(expression, labels))
  )
}

function meets(expression: unknown, labels: Labels): boolean {
  // a label may be called like what every object inherits: constructor
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
