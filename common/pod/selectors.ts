import { labelKeyProblem, labelValueProblem } from '../api/metadata-syntax.ts'
import { showValue } from '../json/field-path.ts'
import { type Field, fieldAt, isSet, itemsOf, refuse, refuseIf, requireValue, textAt } from './field.ts'

const WITH_VALUES = ['In', 'NotIn']
const WITHOUT_VALUES = ['Exists', 'DoesNotExist']
const OPERATORS = [...WITH_VALUES, ...WITHOUT_VALUES]

/** The key of a label. */
export function checkLabelKey(key: Field): void {
  if (typeof key.value === 'string') refuseIf(key, labelKeyProblem(key.value))
}

/** The `matchExpressions` of a label selector. Its `matchLabels` are checked with the other labels. */
export function checkSelector(selector: Field): void {
  for (const expression of itemsOf(fieldAt(selector, 'matchExpressions'))) {
    const operator = fieldAt(expression, 'operator')
    if (typeof operator.value === 'string' && !OPERATORS.includes(operator.value))
      refuse(operator, `must be one of ${OPERATORS.join(', ')}; got ${showValue(operator.value)}`, {
        cause: 'FieldValueNotSupported',
      })
    checkLabelKey(fieldAt(expression, 'key'))
    checkValues(expression, true)
  }
}

/**
 * The `values` of a requirement: what its operator needs. Values that are no label values are refused only if
 * `isStrict`.
 */
export function checkValues(requirement: Field, isStrict: boolean): void {
  const [operator, values] = [textAt(fieldAt(requirement, 'operator')), fieldAt(requirement, 'values')]
  const count = itemsOf(values).length
  if (WITH_VALUES.includes(operator) && count === 0) requireValue(values, `must have a value for ${operator}; add one`)
  if (WITHOUT_VALUES.includes(operator) && count > 0)
    refuse(values, `cannot be set with ${operator}; remove them`, { cause: 'FieldValueForbidden' })
  if (['Gt', 'Lt'].includes(operator) && count !== 1)
    requireValue(values, `must have one value for ${operator}; correct it`)
  if (isStrict) for (const value of itemsOf(values)) refuseIf(value, labelValueProblem(textAt(value)))
}

/** Label keys by which pods are compared with others. They need a selector, and must not be in it twice. */
export function checkLabelKeys(term: Field): void {
  const [matching, others] = [fieldAt(term, 'matchLabelKeys'), fieldAt(term, 'mismatchLabelKeys')]
  const selector = fieldAt(term, 'labelSelector')
  for (const keys of [matching, others]) {
    if (itemsOf(keys).length > 0 && !isSet(selector))
      refuse(keys, 'cannot be set without labelSelector; add that', { cause: 'FieldValueForbidden' })
    else for (const key of itemsOf(keys)) checkLabelKey(key)
  }
  const excluded = itemsOf(others).map(textAt)
  for (const key of itemsOf(matching))
    if (excluded.includes(textAt(key))) refuse(key, 'cannot also be in mismatchLabelKeys; remove one of them')
}
