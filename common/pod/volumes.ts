import {
  type Field,
  fieldAt,
  fieldIn,
  isSet,
  itemsOf,
  membersOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  textOf,
} from './field.ts'
import type { Volumes } from './mounts.ts'
import { dnsLabelProblem } from './syntax.ts'
import { REQUIRED_TEXTS, VOLUME_RULES } from './volume-kinds.ts'

/**
 * The volumes of a pod. `claimTemplates` are names of a StatefulSet's claims, each of which takes the place of a volume
 * with its name.
 */
export function checkVolumes(pod: Field, claimTemplates: readonly string[]): void {
  const seen = new Set<string>()
  for (const volume of itemsOf(fieldAt(pod, 'volumes'))) {
    const name = fieldAt(volume, 'name')
    if (claimTemplates.includes(textOf(name))) continue
    if (name.value === '') requireValue(name, 'must be a name; set it')
    else if (isSet(name)) refuseIf(name, dnsLabelProblem(textOf(name)))
    if (seen.has(textOf(name))) refuse(name, 'must be unique; rename or remove one', { cause: 'FieldValueDuplicate' })
    seen.add(textOf(name))
    checkSource(volume)
  }
}

/** The volumes that containers can mount. */
export function volumesOf(pod: Field, claimTemplates: readonly string[]): Volumes {
  const list = fieldAt(pod, 'volumes')
  const volumes = itemsOf(list)
  const claims = volumes.filter(
    (volume) => isSet(fieldAt(volume, 'persistentVolumeClaim')) || isSet(fieldAt(volume, 'ephemeral')),
  )
  return {
    list,
    names: [...new Set([...claimTemplates, ...volumes.map((volume) => textOf(fieldAt(volume, 'name')))])],
    claims: new Set([...claimTemplates, ...claims.map((volume) => textOf(fieldAt(volume, 'name')))]),
  }
}

/** The names of volumes of type emptyDir. A volume without a type is one. */
export const emptyDirsOf = (pod: Field): ReadonlySet<string> =>
  new Set(
    itemsOf(fieldAt(pod, 'volumes'))
      .filter((volume) => isSet(fieldAt(volume, 'emptyDir')) || sourcesOf(volume).length === 0)
      .map((volume) => textOf(fieldAt(volume, 'name'))),
  )

const sourcesOf = (volume: Field): readonly string[] =>
  membersOf(volume).flatMap(([key, field]) => (key !== 'name' && isSet(field) ? [key] : []))

function checkSource(volume: Field): void {
  const [first, ...others] = sourcesOf(volume)
  if (first === undefined) return
  for (const kind of others)
    refuse(fieldAt(volume, kind), `cannot be set together with ${first}; remove one of them`, {
      cause: 'FieldValueForbidden',
      others: [
        remedyAt(fieldAt(volume, first), `cannot be set together with ${kind}; set ${kind} to null, or remove this`),
      ],
    })
  const source = fieldAt(volume, first)
  for (const key of REQUIRED_TEXTS[first] ?? []) {
    const field = fieldIn(source, ...key.split('.'))
    if (textOf(field) === '') requireValue(field, 'must not be empty; set it')
  }
  VOLUME_RULES[first]?.(source)
}
