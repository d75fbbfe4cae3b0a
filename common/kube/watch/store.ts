import { at, isObject, member } from '../../json/json.ts'
import type { Arrival } from './intake.ts'
import { compareVersions } from './version.ts'

/** A change of one object. An object that was recreated under its name is deleted, then added. */
export type ObjectChange<T> = { readonly key: string } & (
  | { readonly is: 'added'; readonly after: T }
  | { readonly is: 'updated'; readonly before: T; readonly after: T }
  | { readonly is: 'deleted'; readonly before: T }
)

/** The object as it was before `change`; undefined for an added one. */
export const beforeOf = <T>(change: ObjectChange<T>): T | undefined =>
  change.is === 'added' ? undefined : change.before

/** The object as `change` left it; undefined for a deleted one. */
export const afterOf = <T>(change: ObjectChange<T>): T | undefined =>
  change.is === 'deleted' ? undefined : change.after

/** The objects of a reflector in their last known state. Methods that change it return the changes. */
export class Store<T> {
  #entries = new Map<string, Arrival<T>>()
  readonly #onUnread: (arrival: Arrival<T>) => void

  /** @param onUnread called with an object that is too large to be read, and was not before */
  constructor(onUnread: (arrival: Arrival<T>) => void = () => undefined) {
    this.#onUnread = onUnread
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value
  }

  list(): readonly T[] {
    return [...this.#entries.values()].flatMap(({ value }) => (value === undefined ? [] : [value]))
  }

  /** Whether the object with that uid is gone or being deleted. */
  isGoneOrDeleting(key: string, uid: string): boolean {
    const entry = this.#entries.get(key)
    return entry?.uid !== uid || entry.isDeleting
  }

  /** Adds or updates an object, unless it is not newer than the stored one. */
  put(arrival: Arrival<T>): readonly ObjectChange<T>[] {
    const before = this.#entries.get(arrival.key)
    const isSame = before?.uid === arrival.uid
    if (isSame && compareVersions(arrival.version, before.version) <= 0) return []
    const kept = isSame ? withSpecOf(before, arrival) : arrival
    this.#keep(before, kept)
    return changesBetween(arrival.key, before, kept)
  }

  /** Removes an object, unless another object has taken its name. */
  remove({ key, uid }: Pick<Arrival<T>, 'key' | 'uid'>): readonly ObjectChange<T>[] {
    const before = this.#entries.get(key)
    if (before?.uid !== uid) return []
    this.#entries.delete(key)
    return changesBetween(key, before, undefined)
  }

  /** Replaces all objects by those of a complete list, also by older versions. An unchanged version is no change. */
  replace(arrivals: readonly Arrival<T>[]): readonly ObjectChange<T>[] {
    const earlier = this.#entries
    this.#entries = new Map()
    for (const arrival of arrivals) {
      const before = earlier.get(arrival.key)
      const isSame = before?.uid === arrival.uid && before.version === arrival.version
      this.#keep(before, isSame ? before : arrival)
    }
    const keys = new Set([...earlier.keys(), ...this.#entries.keys()])
    return [...keys].flatMap((key) => changesBetween(key, earlier.get(key), this.#entries.get(key)))
  }

  #keep(before: Arrival<T> | undefined, arrival: Arrival<T>): void {
    this.#entries.set(arrival.key, arrival)
    if (arrival.unread !== undefined && before?.unread === undefined) this.#onUnread(arrival)
  }
}

/**
 * `arrival` with the `spec` that `before`, the same object, has already. It is the same if its generation is: an API
 * server raises it with every change of a `spec`. So what was computed of it stays known after a status.
 */
function withSpecOf<T>(before: Arrival<T>, arrival: Arrival<T>): Arrival<T> {
  const [generation, spec] = [at(before.value, 'metadata', 'generation'), member(before.value, 'spec')]
  const isSame = typeof generation === 'number' && generation === at(arrival.value, 'metadata', 'generation')
  if (!isSame || !isObject(spec) || !isObject(member(arrival.value, 'spec'))) return arrival
  return { ...arrival, value: Object.freeze({ ...arrival.value, spec }) as T }
}

/** The changes of projected values between two entries of one key. Another uid is another object. */
function changesBetween<T>(
  key: string,
  from: Arrival<T> | undefined,
  to: Arrival<T> | undefined,
): readonly ObjectChange<T>[] {
  if (from === to) return []
  const before = from?.value
  const after = to?.value
  if (before !== undefined && after !== undefined && from?.uid === to?.uid)
    return [{ is: 'updated', key, before, after }]
  const gone = before === undefined ? [] : [{ is: 'deleted' as const, key, before }]
  const come = after === undefined ? [] : [{ is: 'added' as const, key, after }]
  return [...gone, ...come]
}
