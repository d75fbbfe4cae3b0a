import { showValue } from '../json/field-path.ts'
import { checkFieldRef, checkResourceRef } from './env.ts'
import {
  checkRange,
  type Field,
  fieldAt,
  fieldIn,
  isSet,
  itemsOf,
  numberOf,
  refuse,
  refuseIf,
  requireValue,
  textAt,
} from './field.ts'
import { filePathProblem } from './syntax.ts'

const MAX_MODE = 0o777

/** File permissions. */
export function checkMode(mode: Field): void {
  const number = numberOf(mode)
  if (number === undefined || (number >= 0 && number <= MAX_MODE)) return
  const meant = /^[0-7]{3}$/.test(`${number}`) ? `; did you mean 0${number}, which is ${parseInt(`${number}`, 8)}?` : ''
  refuse(mode, `must be from 0 to 0777 octal, which is ${MAX_MODE} in JSON; got ${number}${meant}`)
}

/** The files of a Secret or ConfigMap. Returns their paths. */
export function checkFiles(source: Field): readonly Field[] {
  checkMode(fieldAt(source, 'defaultMode'))
  return itemsOf(fieldAt(source, 'items')).map((item) => {
    const [key, path] = [fieldAt(item, 'key'), fieldAt(item, 'path')]
    if (key.value === '') requireValue(key, 'must not be empty; set it')
    checkFilePath(path)
    checkMode(fieldAt(item, 'mode'))
    return path
  })
}

function checkFilePath(path: Field): void {
  if (path.value === '') requireValue(path, 'must be the path of a file in the volume; set it')
  else refuseIf(path, filePathProblem(textAt(path)))
}

/** Fields of the pod that a file may contain. */
const OF_FILES = ['metadata.name', 'metadata.namespace', 'metadata.labels', 'metadata.annotations', 'metadata.uid']

/** A file with fields of the pod. Returns its path. */
export function checkDownwardFile(file: Field): Field {
  const [path, ref, resource] = [fieldAt(file, 'path'), fieldAt(file, 'fieldRef'), fieldAt(file, 'resourceFieldRef')]
  checkFilePath(path)
  checkMode(fieldAt(file, 'mode'))
  checkFieldRef(ref, OF_FILES)
  if (isSet(ref) && isSet(resource)) refuse(resource, 'cannot be set together with fieldRef; remove one of them')
  else if (isSet(resource)) {
    if (textAt(fieldAt(resource, 'containerName')) === '')
      requireValue(fieldAt(resource, 'containerName'), 'must be the name of a container; set it')
    checkResourceRef(resource)
  } else if (!isSet(ref)) requireValue(file, 'must have fieldRef or resourceFieldRef; add one')
  return path
}

/** The API server drops others, unless their features are enabled. */
const PROJECTED = ['secret', 'configMap', 'downwardAPI', 'serviceAccountToken']

/** A volume of several sources, whose files must have different paths. */
export function checkProjected(source: Field): void {
  checkMode(fieldAt(source, 'defaultMode'))
  const seen = new Set<string>()
  for (const each of itemsOf(fieldAt(source, 'sources'))) {
    const [first, second] = PROJECTED.filter((kind) => isSet(fieldAt(each, kind)))
    if (first !== undefined && second !== undefined)
      refuse(fieldAt(each, second), `cannot be set together with ${first}; make it an item of its own`, {
        cause: 'FieldValueForbidden',
      })
    for (const path of projectedPaths(each)) {
      if (textAt(path) === '') continue
      if (seen.has(textAt(path))) refuse(path, `must be unique in the volume; got ${showValue(path.value)} twice`)
      seen.add(textAt(path))
    }
  }
}

function projectedPaths(each: Field): readonly Field[] {
  const named = ['secret', 'configMap'].map((kind) => fieldAt(each, kind)).filter(isSet)
  for (const source of named)
    if (textAt(fieldAt(source, 'name')) === '') requireValue(fieldAt(source, 'name'), 'must not be empty; set it')
  const token = fieldAt(each, 'serviceAccountToken')
  if (isSet(token)) {
    checkFilePath(fieldAt(token, 'path'))
    checkRange(fieldAt(token, 'expirationSeconds'), 600, 2 ** 32)
  }
  return [...named.flatMap(checkFiles), ...itemsOf(fieldIn(each, 'downwardAPI', 'items')).map(checkDownwardFile)]
}
