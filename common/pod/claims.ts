import { parseQuantity } from '../api/quantity.ts'
import { type Field, fieldAt, fieldIn, isSet, itemsOf, refuse, refuseIf, requireValue, textAt } from './field.ts'
import { checkSelector } from './selectors.ts'
import { dnsNameProblem } from './syntax.ts'

const MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod']

/** The `spec` of a template of a PersistentVolumeClaim. */
export function checkClaimSpec(spec: Field): void {
  const modes = fieldAt(spec, 'accessModes')
  const found = itemsOf(modes)
  if (found.length === 0) requireValue(modes, `must have one of ${MODES.join(', ')}; add it`)
  for (const mode of found)
    if (typeof mode.value === 'string' && !MODES.includes(mode.value))
      refuse(mode, `must be one of ${MODES.join(', ')}`, { cause: 'FieldValueNotSupported' })
  const isPod = found.some(({ value }) => value === 'ReadWriteOncePod')
  if (isPod && found.some(({ value }) => value !== 'ReadWriteOncePod'))
    refuse(modes, 'must have no other mode beside ReadWriteOncePod; remove the others', {
      cause: 'FieldValueForbidden',
    })
  const storage = fieldIn(spec, 'resources', 'requests', 'storage')
  const amount = parseQuantity(storage.value)
  if (!isSet(storage)) requireValue(storage, 'must be the size of the volume; set it')
  else if (amount !== undefined && amount <= 0n) refuse(storage, 'must be more than 0; set a size such as 1Gi')
  for (const key of ['storageClassName', 'volumeAttributesClassName']) {
    const name = fieldAt(spec, key)
    if (textAt(name) !== '') refuseIf(name, dnsNameProblem(textAt(name)))
  }
  checkSelector(fieldAt(spec, 'selector'))
  for (const key of ['dataSource', 'dataSourceRef']) checkDataSource(fieldAt(spec, key))
}

function checkDataSource(source: Field): void {
  if (!isSet(source)) return
  const [name, kind, group] = [fieldAt(source, 'name'), fieldAt(source, 'kind'), fieldAt(source, 'apiGroup')]
  for (const field of [name, kind]) if (field.value === '') requireValue(field, 'must not be empty; set it')
  if (textAt(group) !== '') refuseIf(group, dnsNameProblem(textAt(group)))
  else if (textAt(kind) !== '' && kind.value !== 'PersistentVolumeClaim')
    refuse(kind, 'must be PersistentVolumeClaim, or apiGroup must be set; correct it')
}
