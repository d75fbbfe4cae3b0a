import { labelValueProblem } from '../api/metadata-syntax.ts'
import { showValue } from '../json/field-path.ts'
import {
  type Field,
  fieldAt,
  isSet,
  itemsOf,
  numberOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  textAt,
} from './field.ts'
import { checkLabelKey, checkLabelKeys, checkSelector, checkValues } from './selectors.ts'
import { dnsLabelProblem, dnsNameProblem } from './syntax.ts'

/** Where the pods of a workload may run. */
export function checkScheduling(pod: Field): void {
  for (const toleration of itemsOf(fieldAt(pod, 'tolerations'))) checkToleration(toleration)
  for (const constraint of itemsOf(fieldAt(pod, 'topologySpreadConstraints'))) checkConstraint(constraint)
  const affinity = fieldAt(pod, 'affinity')
  checkNodeAffinity(fieldAt(affinity, 'nodeAffinity'))
  for (const key of ['podAffinity', 'podAntiAffinity']) checkPodAffinity(fieldAt(affinity, key))
}

/** One of the tolerations of a pod. */
export function checkToleration(toleration: Field): void {
  const [key, operator, value] = [
    fieldAt(toleration, 'key'),
    fieldAt(toleration, 'operator'),
    fieldAt(toleration, 'value'),
  ]
  const [effect, seconds] = [fieldAt(toleration, 'effect'), fieldAt(toleration, 'tolerationSeconds')]
  if (textAt(key) !== '') checkLabelKey(key)
  else if (textAt(operator) !== 'Exists')
    refuse(operator, 'must be Exists, because there is no key; set it, or add a key')
  if (isSet(seconds) && effect.value !== 'NoExecute')
    refuse(effect, 'must be NoExecute, because tolerationSeconds is set; set it', {
      others: [remedyAt(seconds, 'cannot be set unless effect is NoExecute; remove it')],
    })
  if (textAt(operator) === 'Exists' && textAt(value) !== '')
    refuse(value, 'cannot be set with operator Exists; remove it, or use Equal', {
      others: [remedyAt(operator, 'cannot be Exists with a value; use Equal, or set value to null')],
    })
  if (['', 'Equal'].includes(textAt(operator))) refuseIf(value, labelValueProblem(textAt(value)))
  // behind a feature gate, but a value that is no number is refused in any case
  if (['Lt', 'Gt'].includes(textAt(operator)) && !/^-?(?:0|[1-9]\d*)$/.test(textAt(value)))
    refuse(value, `must be a whole number for ${textAt(operator)}; got ${showValue(textAt(value))}`)
}

function checkConstraint(constraint: Field): void {
  const [key, domains] = [fieldAt(constraint, 'topologyKey'), fieldAt(constraint, 'minDomains')]
  checkPositive(fieldAt(constraint, 'maxSkew'))
  if (key.value === '') requireValue(key, 'must be the key of a label of nodes; set it')
  checkPositive(domains)
  const action = fieldAt(constraint, 'whenUnsatisfiable')
  if (isSet(domains) && action.value === 'ScheduleAnyway')
    refuse(domains, 'cannot be set with whenUnsatisfiable: ScheduleAnyway; remove it', {
      others: [remedyAt(action, 'must be DoNotSchedule, because minDomains is set; change it')],
    })
  checkSelector(fieldAt(constraint, 'labelSelector'))
  checkLabelKeys(constraint)
}

function checkPositive(field: Field): void {
  const number = numberOf(field)
  if (number !== undefined && number <= 0) refuse(field, `must be more than 0; got ${number}`)
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

function checkNodeAffinity(affinity: Field): void {
  const required = fieldAt(affinity, REQUIRED)
  const terms = fieldAt(required, 'nodeSelectorTerms')
  if (isSet(required) && itemsOf(terms).length === 0) requireValue(terms, 'must have a term; add one')
  for (const term of itemsOf(terms)) checkNodeTerm(term, true)
  for (const preferred of itemsOf(fieldAt(affinity, PREFERRED))) {
    checkWeight(preferred)
    checkNodeTerm(fieldAt(preferred, 'preference'), false)
  }
}

function checkNodeTerm(term: Field, isStrict: boolean): void {
  for (const expression of itemsOf(fieldAt(term, 'matchExpressions'))) {
    checkLabelKey(fieldAt(expression, 'key'))
    checkValues(expression, isStrict)
  }
  for (const field of itemsOf(fieldAt(term, 'matchFields'))) {
    const [key, operator, values] = [fieldAt(field, 'key'), fieldAt(field, 'operator'), fieldAt(field, 'values')]
    if (typeof operator.value === 'string' && !['In', 'NotIn'].includes(operator.value))
      refuse(operator, 'must be In or NotIn for a field of nodes; correct it')
    else if (itemsOf(values).length !== 1) requireValue(values, 'must have one value; correct it')
    if (typeof key.value === 'string' && key.value !== 'metadata.name')
      refuse(key, 'must be metadata.name; for labels use matchExpressions')
    else for (const value of itemsOf(values)) refuseIf(value, dnsNameProblem(textAt(value)))
  }
}

function checkPodAffinity(affinity: Field): void {
  for (const term of itemsOf(fieldAt(affinity, REQUIRED))) checkPodTerm(term)
  for (const preferred of itemsOf(fieldAt(affinity, PREFERRED))) {
    checkWeight(preferred)
    checkPodTerm(fieldAt(preferred, 'podAffinityTerm'))
  }
}

function checkPodTerm(term: Field): void {
  const key = fieldAt(term, 'topologyKey')
  if (key.value === '') requireValue(key, 'must be the key of a label of nodes; set it')
  else checkLabelKey(key)
  for (const selector of ['labelSelector', 'namespaceSelector']) checkSelector(fieldAt(term, selector))
  for (const namespace of itemsOf(fieldAt(term, 'namespaces'))) refuseIf(namespace, dnsLabelProblem(textAt(namespace)))
  checkLabelKeys(term)
}

function checkWeight(preferred: Field): void {
  const weight = fieldAt(preferred, 'weight')
  const number = numberOf(weight)
  if (number !== undefined && (number < 1 || number > 100)) refuse(weight, `must be from 1 to 100; got ${number}`)
}
