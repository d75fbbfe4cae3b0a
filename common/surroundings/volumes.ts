import type { KubeObject } from '../api/object.ts'
import { at, isEqual, isObject, listOr, member, objectOr, textOr } from '../json/json.ts'
import { optionalClause, type Part } from '../text/fitted.ts'
import { shortenedList } from '../text/list.ts'
import { type ForkAndSource, sourcePod } from './pod-labels.ts'

/**
 * The claims that the fork and its source both name, and the other volumes by which both reach the same data outside of
 * their pods, if the fork may write it. Where the source is not known, all of the fork. Undefined if there are none.
 */
export function sharedVolumes(pair: ForkAndSource): readonly Part[] | undefined {
  const [pod, source] = [at(pair.fork, 'spec', 'template', 'spec'), sourcePod(pair)?.spec]
  const ofSource = source && new Set(claims(source))
  const names = claims(pod).filter((name) => !ofSource || ofSource.has(name))
  const others = source && new Map(dataVolumes(source).map((volume) => [volume.name, volume]))
  const mounted = writableMounts(pod)
  const volumes = dataVolumes(pod)
    .filter(({ name, isReadOnly }) => mounted.has(name) && !isReadOnly)
    .filter((volume) => !others || hasSameData(volume, others.get(volume.name)))
    .map(({ name, kind }) => `${name} (${kind})`)
  if (names.length + volumes.length === 0) return undefined
  const effect = names.length > 0 ? 'may not start (ReadWriteOnce) or may write' : 'may write'
  return [
    'shares ',
    ...named('PVC', names),
    names.length > 0 && volumes.length > 0 ? ' and ' : '',
    ...named('volume', volumes),
    ' with the source',
    optionalClause(`: pods ${effect} the same data`),
  ]
}

const claims = (pod: unknown): readonly string[] =>
  listOr(at(pod, 'volumes')).flatMap((volume) => {
    const name = at(volume, 'persistentVolumeClaim', 'claimName')
    return typeof name === 'string' ? [name] : []
  })

/** A volume with data that outlives the pod, and that is not of a claim. */
interface DataVolume {
  readonly name: unknown
  readonly kind: string
  /** where the data is, such as server and path of `nfs` */
  readonly place: Readonly<Record<string, unknown>>
  readonly isReadOnly: boolean
}

/** Kinds of volumes that end with the pod, as `csi` does, or that a pod cannot write; and claims. */
const WITHOUT_DATA: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'gitRepo',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

/** The types of a `hostPath` that is no directory. */
const NO_DIRECTORY: readonly unknown[] = ['Socket', 'File', 'CharDevice', 'BlockDevice']

const dataVolumes = (pod: unknown): readonly DataVolume[] =>
  listOr(at(pod, 'volumes')).flatMap((volume) =>
    Object.entries(objectOr(volume)).flatMap(([kind, value]) => {
      if (!isObject(value) || WITHOUT_DATA.has(kind)) return []
      const { readOnly, ...place } = value
      if (kind === 'hostPath' && NO_DIRECTORY.includes(place.type)) return []
      return [{ name: member(volume, 'name'), kind, place, isReadOnly: readOnly === true }]
    }),
  )

/** A field that `volume` leaves out is no difference: the API server fills it in the source. */
const hasSameData = (volume: DataVolume, other: DataVolume | undefined): boolean =>
  volume.kind === other?.kind && Object.entries(volume.place).every(([key, value]) => isEqual(value, other.place[key]))

/** The names of the volumes that a container of `pod` may write. */
const writableMounts = (pod: unknown): ReadonlySet<unknown> =>
  new Set(
    [...listOr(at(pod, 'initContainers')), ...listOr(at(pod, 'containers'))]
      .flatMap((container) => listOr(member(container, 'volumeMounts')))
      .filter((mount) => member(mount, 'readOnly') !== true)
      .map((mount) => member(mount, 'name')),
  )

/** A claim that the fork of a StatefulSet makes for each pod. */
interface NewClaim {
  readonly name: string
  /** the volume that it asks for; empty: any */
  readonly volume: string
  /** what it starts as a copy of, such as `VolumeSnapshot/nightly`; empty: nothing */
  readonly origin: string
}

/** How the claims that the fork of a StatefulSet makes start, and that they end with it. Undefined if it makes none. */
export function newClaims(fork: KubeObject): readonly Part[] | undefined {
  const all = listOr(at(fork, 'spec', 'volumeClaimTemplates')).flatMap(newClaim)
  const [asking, others] = [all.filter(({ volume }) => volume !== ''), all.filter(({ volume }) => volume === '')]
  const [empty, copies] = [others.filter(({ origin }) => origin === ''), others.filter(({ origin }) => origin !== '')]
  const texts = [aboutEmpty(empty), aboutCopies(copies), aboutAsking(asking)].filter((parts) => parts.length > 0)
  return texts.length === 0 ? undefined : texts.flatMap((parts, index) => (index === 0 ? parts : ['; ', ...parts]))
}

function newClaim(claim: unknown): readonly NewClaim[] {
  const [name, spec] = [at(claim, 'metadata', 'name'), at(claim, 'spec')]
  const copied = objectOr(member(spec, 'dataSourceRef') ?? member(spec, 'dataSource'))
  const origin = typeof copied.name === 'string' ? `${textOr(copied.kind, '')}/${copied.name}` : ''
  return typeof name === 'string' ? [{ name, volume: textOr(member(spec, 'volumeName'), ''), origin }] : []
}

function aboutEmpty(claims: readonly NewClaim[]): readonly Part[] {
  const [start, are] = claims.length > 1 ? ['start', 'are'] : ['starts', 'is']
  return about(claims, ` ${start} empty and ${are} deleted with the experiment`)
}

function aboutCopies(claims: readonly NewClaim[]): readonly Part[] {
  const [start, are] = claims.length > 1 ? ['start as copies', 'are'] : ['starts as a copy', 'is']
  const origins = shortenedList([...new Set(claims.map(({ origin }) => origin))], 2)
  return about(claims, ` ${start} of `, origins, optionalClause(` and ${are} deleted with the experiment`))
}

function aboutAsking(claims: readonly NewClaim[]): readonly Part[] {
  const volumes = [...new Set(claims.map(({ volume }) => volume))]
  const ask = `${claims.length > 1 ? 'ask' : 'asks'} for volume${volumes.length > 1 ? 's' : ''}`
  const effect = optionalClause(': pods may stay Pending')
  return about(claims, ` ${ask} `, shortenedList(volumes, 2), ', which the source may have', effect)
}

const about = (claims: readonly NewClaim[], ...says: readonly Part[]): readonly Part[] =>
  claims.length === 0
    ? []
    : [
        ...named(
          'PVC',
          claims.map(({ name }) => name),
        ),
        ...says,
      ]

const named = (noun: string, names: readonly string[]): readonly Part[] =>
  names.length === 0 ? [] : [`${noun}${names.length > 1 ? 's' : ''} `, shortenedList(names, 2)]
