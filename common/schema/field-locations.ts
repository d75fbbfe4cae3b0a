import type { Path } from '../json/field-path.ts'
import { isObject, member, objectOr } from '../json/json.ts'
import type { BanLookup } from '../override/rules.ts'
import { type Definitions, resolved } from './transform.ts'

/** Says where fields belong. */
export interface FieldLocations {
  /**
   * The paths of the parents that `key` may have instead of `parent`, which does not know it, such as
   * `template.spec.containers[]`; `''` is the root. The nearest above, or else those nearest below, at most three.
   */
  placesOf(key: string, parent: Path): readonly string[]
  /** The only such path in a sibling of one of the parents of `parent`, if there is one. It is less likely. */
  besideOf(key: string, parent: Path): readonly string[]
}

/** How many levels are searched. The deepest useful names are `drop` and `secretKeyRef`, of containers. */
const MAX_DEPTH = 5
/** How deep a field may belong outside the containers. Below, as in the kinds of volumes, a name says little. */
const MAX_ELSEWHERE = 3
/** More places than these help nobody. */
const MAX_PLACES = 3

/** The places of all fields that are not banned. They are found when they are first needed, in a few milliseconds. */
export function fieldLocations(definitions: Definitions, banOf: BanLookup): FieldLocations {
  let index: ReadonlyMap<string, readonly string[]> | undefined
  const all = (key: string): readonly string[] => {
    index ??= indexOf(definitions, banOf)
    return index.get(key) ?? []
  }
  return {
    placesOf(key, parent) {
      const here = placeOf(parent)
      const above = all(key).filter((place) => isWithin(here, place))
      if (above.length > 0) return above.slice(-1)
      return MANIFOLD.has(key) ? onlyChild(all(key), here) : nearestBelow(all(key), here)
    },
    besideOf(key, parent) {
      const beside = MANIFOLD.has(key) ? [] : all(key).filter((place) => isBeside(place, placeOf(parent)))
      return beside.length === 1 ? beside : []
    },
  }
}

/** Names that many fields have, so that a field of this name far away says nothing. */
const MANIFOLD: ReadonlySet<string> = new Set([
  'apiVersion',
  'key',
  'kind',
  'name',
  'namespace',
  'operator',
  'type',
  'value',
])

/** `template.spec.containers[]` for any item of the list. */
const placeOf = (path: Path): string =>
  path
    .map((step) => (typeof step === 'number' ? '[]' : `.${step}`))
    .join('')
    .replace(/^\./, '')

/** The parents of each field name, nearest to the root first. */
function indexOf(definitions: Definitions, banOf: BanLookup): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  let level: (readonly [path: string, schema: unknown])[] = [['', definitions.Merge]]
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const fields = level.flatMap(([path, schema]) => {
      const { suffix, properties } = fieldsOf(definitions, schema)
      return Object.entries(properties)
        .map(([key, value]) => ({ path: `${path}${suffix}`, key, value }))
        .filter(({ path, key }) => banOf(path === '' ? [key] : [...path.split('.'), key]) === undefined)
    })
    for (const { path, key } of fields) {
      const places = found.get(key)
      if (places) places.push(path)
      else found.set(key, [path])
    }
    level = fields.map(({ path, key, value }) => [path === '' ? key : `${path}.${key}`, value])
  }
  return found
}

/** What an object with limits on resources may name. */
const RESOURCE_NAMES = { cpu: {}, memory: {}, 'ephemeral-storage': {} }

/** The fields of an object, or of the items of a list. */
function fieldsOf(definitions: Definitions, schema: unknown) {
  const target = resolved(definitions, schema)
  const item = member(target, 'items')
  const fields = item === undefined ? target : resolved(definitions, item)
  const properties = { ...objectOr(member(fields, 'properties')) }
  for (const name of ['limits', 'requests'])
    if (isObject(properties[name])) properties[name] = { properties: RESOURCE_NAMES }
  return { suffix: item === undefined ? '' : '[]', properties }
}

/** The place one level below `here`, if there is only one. */
const onlyChild = (places: readonly string[], here: string): readonly string[] => {
  const children = places.filter((place) => isWithin(place, here) && depthOf(place) === depthOf(here) + 1)
  return children.length === 1 ? children : []
}

/**
 * The nearest of `places` below `here`. In another branch the field has another meaning. What the init containers have
 * too is meant of the containers.
 */
function nearestBelow(places: readonly string[], here: string): readonly string[] {
  const below = places.filter((place) => isWithin(place, here))
  const deepest = Math.max(MAX_ELSEWHERE, depthOf(here) + 1)
  const ofContainer = isOf('initContainers', here) ? 'initContainers' : 'containers'
  const inContainers = nearest(below.filter((place) => isOf(ofContainer, place)))
  const elsewhere = below.filter((place) => !LISTS.some((list) => isOf(list, place)) && depthOf(place) <= deepest)
  // what containers have is rarely meant for a volume or another item
  const found = [
    ...inContainers,
    ...nearest(elsewhere.filter((place) => inContainers.length === 0 || !place.includes('[]'))),
  ]
  return found.length <= MAX_PLACES ? found : []
}

const LISTS = ['containers', 'initContainers'] as const
const isOf = (list: (typeof LISTS)[number], place: string): boolean => place.startsWith(`template.spec.${list}[]`)

const isWithin = (inner: string, outer: string): boolean =>
  outer === '' || (inner.startsWith(outer) && /^(?:[.[]|$)/.test(inner.slice(outer.length)))

const depthOf = (place: string): number => (place === '' ? 0 : place.split('.').length)

const nearest = (places: readonly string[]): readonly string[] => {
  const depth = Math.min(...places.map(depthOf))
  return places.filter((place) => depthOf(place) === depth)
}

/** Whether `place` is a child of something above `here`, as `template.metadata` is for `template.spec`. */
function isBeside(place: string, here: string): boolean {
  const parent = place.slice(0, Math.max(0, place.lastIndexOf('.')))
  return parent !== '' && isWithin(here, parent)
}
