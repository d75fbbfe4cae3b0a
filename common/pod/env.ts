import { annotationKeyProblem, labelKeyProblem } from '../api/metadata-syntax.ts'
import { parseQuantity } from '../api/quantity.ts'
import { showValue } from '../json/field-path.ts'
import { member } from '../json/json.ts'
import { type Field, fieldAt, isSet, itemsOf, itemsUnless, refuse, refuseIf, requireValue, textAt } from './field.ts'
import { dnsNameProblem, keyProblem, pathWithoutBackstepsProblem, variableNameProblem } from './syntax.ts'

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const

/** The environment of a container. */
export function checkEnv(container: Field, emptyDirs: ReadonlySet<string>): void {
  for (const variable of itemsUnless(fieldAt(container, 'env'), isPlain)) {
    const name = fieldAt(variable, 'name')
    if (textAt(name) !== '') refuseIf(name, variableNameProblem(textAt(name)))
    else if (name.value === '') requireValue(name, 'must be the name of a variable; set it')
    checkSource(variable, emptyDirs)
  }
  for (const from of itemsOf(fieldAt(container, 'envFrom'))) checkEnvFrom(from)
}

/** Whether a variable has a sound name and its value in itself, as most have: nothing else is wrong then. */
function isPlain(variable: unknown): boolean {
  const name = member(variable, 'name')
  const hasSource = (member(variable, 'valueFrom') ?? undefined) !== undefined
  return !hasSource && typeof name === 'string' && name !== '' && variableNameProblem(name) === undefined
}

function checkSource(variable: Field, emptyDirs: ReadonlySet<string>): void {
  const from = fieldAt(variable, 'valueFrom')
  if (!isSet(from)) return
  const [first, second] = SOURCES.filter((source) => isSet(fieldAt(from, source)))
  if (first === undefined) {
    requireValue(from, `must have one of ${SOURCES.join(', ')}; add one, or use value`)
    return
  }
  if (textAt(fieldAt(variable, 'value')) !== '')
    refuse(from, 'cannot be set together with value; remove one of them', { cause: 'FieldValueForbidden' })
  if (second !== undefined)
    refuse(fieldAt(from, second), `cannot be set together with ${first}; remove one of them`, {
      cause: 'FieldValueForbidden',
    })
  checkFieldRef(fieldAt(from, 'fieldRef'), OF_VARIABLES)
  checkResourceRef(fieldAt(from, 'resourceFieldRef'))
  for (const source of ['configMapKeyRef', 'secretKeyRef'] as const) checkKeyRef(fieldAt(from, source), source)
  checkFileRef(fieldAt(from, 'fileKeyRef'), emptyDirs)
}

function checkKeyRef(ref: Field, source: 'configMapKeyRef' | 'secretKeyRef'): void {
  if (!isSet(ref)) return
  const [name, key] = [fieldAt(ref, 'name'), fieldAt(ref, 'key')]
  const kind = source === 'secretKeyRef' ? 'Secret' : 'ConfigMap'
  if (textAt(name) === '') requireValue(name, `must be the name of a ${kind}; set it`)
  else refuseIf(name, dnsNameProblem(textAt(name)))
  if (textAt(key) !== '') refuseIf(key, keyProblem(textAt(key)))
  else if (key.value === '') requireValue(key, `must be a key of the ${kind}; set it`)
}

function checkFileRef(ref: Field, emptyDirs: ReadonlySet<string>): void {
  if (!isSet(ref)) return
  const [volume, path, key] = [fieldAt(ref, 'volumeName'), fieldAt(ref, 'path'), fieldAt(ref, 'key')]
  if (key.value === '') requireValue(key, 'must be the name of a variable in the file; set it')
  else if (textAt(key) !== '') refuseIf(key, variableNameProblem(textAt(key)))
  if (path.value === '') requireValue(path, 'must be the path of a file in the volume; set it')
  else refuseIf(path, pathWithoutBackstepsProblem(textAt(path)))
  if (typeof volume.value === 'string' && !emptyDirs.has(volume.value))
    refuse(volume, `must be the name of an emptyDir volume of the pod; got ${showValue(volume.value)}`)
}

/** Fields of the pod that a variable may have as its value. Labels and annotations only by key. */
const OF_VARIABLES = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

/** `metadata.labels['app']` */
const BY_KEY = /^metadata\.(labels|annotations)\['([^']*)'\]$/

/** A reference to a field of the pod, which must be among `known`. */
export function checkFieldRef(ref: Field, known: readonly string[]): void {
  if (!isSet(ref)) return
  const path = fieldAt(ref, 'fieldPath')
  const version = fieldAt(ref, 'apiVersion')
  if (textAt(version) !== '' && textAt(version) !== 'v1') {
    refuse(version, 'must be v1; remove it')
    return
  }
  if (path.value === '') {
    requireValue(path, `must be one of ${known.join(', ')}; set it`)
    return
  }
  const [found, map, key = ''] = BY_KEY.exec(textAt(path)) ?? []
  if (found !== undefined) {
    refuseIf(path, (map === 'labels' ? labelKeyProblem : annotationKeyProblem)(key))
    return
  }
  if (typeof path.value === 'string' && !known.includes(path.value) && path.value !== 'spec.host')
    refuse(path, `must be one of ${known.join(', ')}, or metadata.labels['KEY']; got ${showValue(path.value)}`, {
      cause: 'FieldValueNotSupported',
    })
}

const AMOUNTS = ['cpu', 'memory', 'ephemeral-storage'].flatMap((name) => [`limits.${name}`, `requests.${name}`])
const OTHER_TEXT = /e[+-]?\d|^\+|^0\d/i
const OF_CPU = ['1', '1m']
const OF_BYTES = ['', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit) => `1${unit}`)

/** A reference to an amount of a container. */
export function checkResourceRef(ref: Field): void {
  if (!isSet(ref)) return
  const resource = fieldAt(ref, 'resource')
  const name = textAt(resource)
  const isPages = name.startsWith('limits.hugepages-') || name.startsWith('requests.hugepages-')
  if (resource.value === '') {
    requireValue(resource, `must be one of ${AMOUNTS.join(', ')}; set it`)
    return
  }
  if (name !== '' && !isPages && !AMOUNTS.includes(name)) {
    refuse(resource, `must be one of ${AMOUNTS.join(', ')}; got ${showValue(name)}`, {
      cause: 'FieldValueNotSupported',
    })
    return
  }
  const divisor = fieldAt(ref, 'divisor')
  const amount = parseQuantity(divisor.value)
  if (amount === undefined || amount === 0n) return
  const units = name.endsWith('.cpu') ? OF_CPU : OF_BYTES
  // with an exponent, a plus or a zero in front it is another text to Kubernetes, which compares texts
  if (OTHER_TEXT.test(textAt(divisor)) || !units.some((unit) => parseQuantity(unit) === amount))
    refuse(divisor, `must be one of ${units.join(', ')}; got ${showValue(divisor.value)}`)
}

function checkEnvFrom(from: Field): void {
  const prefix = fieldAt(from, 'prefix')
  if (textAt(prefix) !== '') refuseIf(prefix, variableNameProblem(textAt(prefix)))
  const refs = ['configMapRef', 'secretRef'].map((key) => fieldAt(from, key)).filter(isSet)
  const [first, second] = refs
  if (!first) {
    requireValue(from, 'must have configMapRef or secretRef; add one')
    return
  }
  if (second)
    refuse(second, 'cannot be set together with configMapRef; remove one of them', { cause: 'FieldValueForbidden' })
  for (const ref of refs) {
    const name = fieldAt(ref, 'name')
    if (textAt(name) === '') requireValue(name, 'must be the name of an object; set it')
    else refuseIf(name, dnsNameProblem(textAt(name).replace(/-$/, '')))
  }
}
