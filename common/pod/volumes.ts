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
  textAt,
} from './field.ts'
import type { Volumes } from './mounts.ts'
import { dnsLabelProblem } from './syntax.ts'
import { checkKind } from './volume-kinds.ts'

/**
 * The volumes of a pod. `claimTemplates` are names of a StatefulSet's claims, each of which takes the place of a volume
 * with its name.
 */
export function checkVolumes(pod: Field, claimTemplates: Field | undefined): void {
  const [seen, claims] = [new Set<string>(), namesOf(claimTemplates)]
  for (const volume of itemsOf(fieldAt(pod, 'volumes'))) {
    const name = fieldAt(volume, 'name')
    if (claims.includes(textAt(name))) {
      refuseClaimed(name, claimTemplates)
      continue
    }
    if (name.value === '') requireValue(name, 'must be a name; set it')
    else if (isSet(name)) refuseIf(name, dnsLabelProblem(textAt(name)))
    if (seen.has(textAt(name))) refuse(name, 'must be unique; rename or remove one', { cause: 'FieldValueDuplicate' })
    seen.add(textAt(name))
    checkSource(volume)
  }
}

/** The controller of StatefulSets replaces the volume, so an override of it would have no effect. */
function refuseClaimed(name: Field, claimTemplates: Field | undefined): void {
  const claim = `the claim "${textAt(name)}" of volumeClaimTemplates`
  const others = claimTemplates
    ? [
        remedyAt(
          claimTemplates,
          `must not have a claim "${textAt(name)}" beside a volume of this name; remove one of them`,
        ),
      ]
    : []
  refuse(name, `has no effect, because ${claim} takes its place; remove one of them`, { others, isStored: true })
}

const namesOf = (claimTemplates: Field | undefined): readonly string[] =>
  claimTemplates ? itemsOf(claimTemplates).map((claim) => textAt(fieldIn(claim, 'metadata', 'name'))) : []

/** The volumes that containers can mount. */
export function volumesOf(pod: Field, claimTemplates: Field | undefined): Volumes {
  const claimed = namesOf(claimTemplates)
  const list = fieldAt(pod, 'volumes')
  const volumes = itemsOf(list)
  const claims = volumes.filter(
    (volume) => isSet(fieldAt(volume, 'persistentVolumeClaim')) || isSet(fieldAt(volume, 'ephemeral')),
  )
  return {
    lists: claimTemplates ? [list, claimTemplates] : [list],
    names: [...new Set([...claimed, ...volumes.map((volume) => textAt(fieldAt(volume, 'name')))])],
    claims: new Set([...claimed, ...claims.map((volume) => textAt(fieldAt(volume, 'name')))]),
  }
}

/** The names of volumes of type emptyDir. A volume without a type is one. */
export const emptyDirsOf = (pod: Field): ReadonlySet<string> =>
  new Set(
    itemsOf(fieldAt(pod, 'volumes'))
      .filter((volume) => isSet(fieldAt(volume, 'emptyDir')) || sourcesOf(volume).length === 0)
      .map((volume) => textAt(fieldAt(volume, 'name'))),
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
  checkKind(first, fieldAt(volume, first))
}
