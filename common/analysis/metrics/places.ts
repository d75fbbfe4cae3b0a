import { fnv1a } from '../../json/fnv1a.ts'
import type { Arm, OfPod } from '../window-data.ts'

/** The most places of an arm. If an arm has more pods, some share a place. */
export const MOST_PLACES = 8
/** The most pods of an arm that are known. */
const MOST_PODS = 64

/** A pod with its place. */
interface Placed {
  readonly key: number
  readonly place: number
  /** whether the last window had requests of it */
  readonly isHere: boolean
}

/** Which pods of an arm are in which places. The ones that were here last are at the end. */
export type Places = readonly Placed[]

/** A number for the name of a pod that JSON keeps: 53 bits of a hash (FNV-1a, twice with other seeds). */
export const keyOfPod = (pod: string): number => fnv1a(pod) * 2 ** 21 + (fnv1a(pod, 0x050c5d1f) >>> 11)

/** How many places have, or had, a pod. */
export const placesIn = (places: Places): number => Math.max(0, ...places.map(({ place }) => place + 1))

/** The places of which a pod is known, also of one that has gone. */
export const knownPlaces = (places: Places): ReadonlySet<number> => new Set(places.map(({ place }) => place))

/**
 * The places after a window in which these pods had requests. A pod keeps its place as long as it is known, also while
 * it has none, and if there are too many, those that have gone first are forgotten. A new one comes to a place whose
 * pods have gone, or else to a new place, or to the place with the fewest pods where all are taken. `most`: of places.
 */
export function placedPods(former: Places, pods: readonly OfPod[], most = MOST_PLACES): Places {
  const keys = new Set(pods.flatMap(({ pod }) => (pod === undefined ? [] : [keyOfPod(pod)])))
  const known = former.map((placed) => ({ ...placed, isHere: keys.has(placed.key) }))
  const places = [...known.filter(({ isHere }) => !isHere), ...known.filter(({ isHere }) => isHere)]
  for (const key of keys.difference(new Set(known.map((placed) => placed.key))))
    places.push({ key, place: freestIn(places, most), isHere: true })
  let spare = places.length - MOST_PODS
  return places.filter(({ isHere }) => isHere || spare-- <= 0)
}

/** How full a place is that never had a pod: more than one whose pods have gone. */
const NEW = 0.5

function freestIn(places: Places, most: number): number {
  const used = placesIn(places)
  const fullness = (place: number) =>
    place === used ? NEW : places.filter((placed) => placed.place === place && placed.isHere).length
  const all = Array.from({ length: Math.min(most, used + 1) }, (_, place) => place)
  return all.reduce((best, place) => (fullness(place) < fullness(best) ? place : best), 0)
}

/** `counts` without those of the pods in a place. What names no pod always stays. */
export function outside<T extends OfPod>(places: Places, left: number | undefined, counts: readonly T[]): readonly T[] {
  if (left === undefined) return counts
  const keys = new Set(places.flatMap(({ key, place }) => (place === left ? [key] : [])))
  return counts.filter(({ pod }) => pod === undefined || !keys.has(keyOfPod(pod)))
}

/** The places of both arms. */
export type ArmPlaces = Readonly<Record<Arm, Places>>

/** Before the first window. */
export const NO_PLACES: ArmPlaces = { treatment: [], control: [] }

/** As `placedPods`, of both arms. */
export const placedArms = (
  former: ArmPlaces,
  window: Readonly<Record<Arm, readonly OfPod[]>>,
  most = MOST_PLACES,
): ArmPlaces => ({
  treatment: placedPods(former.treatment, window.treatment, most),
  control: placedPods(former.control, window.control, most),
})

/** What is left of an arm without each of its places. */
export const withoutEach = <T>(places: Places, without: (place: number) => T): readonly T[] =>
  Array.from({ length: placesIn(places) }, (_, place) => without(place))

/** As one list of numbers. */
const savedPlaces = (places: Places): readonly number[] =>
  places.flatMap(({ key, place, isHere }) => [key, 2 * place + Number(isHere)])

/** What `savedPlaces` has made a list of. */
const loadedPlaces = (list: readonly number[]): Places =>
  list.flatMap((key, at) => {
    const word = list[at + 1] ?? 0
    return at % 2 === 0 ? [{ key, place: Math.floor(word / 2), isHere: word % 2 === 1 }] : []
  })

/** As two lists of numbers. */
export const savedArms = ({ treatment, control }: ArmPlaces): readonly (readonly number[])[] => [
  savedPlaces(treatment),
  savedPlaces(control),
]

/** What `savedArms` has made these lists of. */
export const loadedArms = (treatment: readonly number[], control: readonly number[]): ArmPlaces => ({
  treatment: loadedPlaces(treatment),
  control: loadedPlaces(control),
})
