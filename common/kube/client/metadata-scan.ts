import { PREFIX } from '../../api/names.ts'
import { type KubeObject, UNREAD } from '../../api/object.ts'
import { endOfString } from '../../json/bytes.ts'
import { parseJson } from '../../json/json.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [COMMA, COLON] = [0x2c, 0x3a]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Longer strings are left out: no name, uid, version or value of a label is as long. */
const MAX_STRING_BYTES = 1_024
/** The objects in which something is found. */
type Place = 'event' | 'object' | 'metadata' | 'labels'

/** What is found in each place, by its key. */
const IS_KEPT: Readonly<Record<Place, (key: string) => boolean>> = {
  event: (key) => key === 'type',
  object: (key) => key === 'kind' || key === 'apiVersion',
  metadata: (key) => ['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp'].includes(key),
  // our own, and the Service of an EndpointSlice
  labels: (key) => key.startsWith(PREFIX) || key === 'kubernetes.io/service-name',
}

/** Which place an object is that is in another one under `key`. */
function inside(place: Place, key: string): Place | undefined {
  if (place === 'event') return key === 'object' ? 'object' : undefined
  if (place === 'object') return key === 'metadata' ? 'metadata' : undefined
  return place === 'metadata' && key === 'labels' ? 'labels' : undefined
}

/**
 * Finds what an object is called in its bytes, without parsing them: kind, name, namespace, uid, version, the time of
 * its deletion and the labels by which forks are known. Its memory does not depend on the length of the object.
 */
export class MetadataScan {
  /** the places that are open, from the outermost; what is open inside the last of them has nothing to find */
  readonly #places: Place[] = []
  /** the last key in the innermost place */
  #key = ''
  /** how many containers are open */
  #depth = 0
  #isKey = false
  /** how many of the next bytes are escaped; undefined outside a string */
  #escaped: number | undefined
  /** the bytes of the present string */
  readonly #string = Buffer.alloc(MAX_STRING_BYTES)
  /** how long that is; -1: it is not needed */
  #length = -1
  readonly #start: Place
  readonly #found: Record<Place, Record<string, string>> = { event: {}, object: {}, metadata: {}, labels: {} }

  /** @param start what the JSON value is */
  constructor(start: 'event' | 'object') {
    this.#start = start
  }

  /** The `type` of an event. */
  get type(): string | undefined {
    return this.#found.event.type
  }

  add(bytes: Uint8Array): void {
    for (let at = this.#escaped === undefined ? 0 : this.#addToString(bytes, 0) + 1; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === QUOTE) {
        this.#escaped = 0
        this.#length = this.#depth === this.#places.length && this.#depth > 0 ? 0 : -1
        at = this.#addToString(bytes, at + 1)
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#open(byte === OPEN_BRACE)
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#close()
      else if (byte === COMMA) this.#beginMember()
      else if (byte === COLON) this.#isKey = false
    }
  }

  /** The object, marked as one that was not read `because` it is too large. */
  object(because: string): KubeObject {
    const { kind = '', apiVersion = '' } = this.#found.object
    const { name = '', ...metadata } = this.#found.metadata
    return { apiVersion, kind, metadata: { ...metadata, name, labels: this.#found.labels }, [UNREAD]: because }
  }

  #open(isObject: boolean): void {
    const around = this.#places.at(-1)
    const isDirect = this.#depth === this.#places.length
    const place = around === undefined ? this.#start : inside(around, this.#key)
    this.#depth += 1
    this.#isKey = isObject
    if (isObject && isDirect && place !== undefined) this.#places.push(place)
  }

  /** In a list, none begins, but nothing is looked at there, either. */
  #beginMember(): void {
    this.#isKey = true
    if (this.#depth === this.#places.length) this.#key = ''
  }

  #close(): void {
    if (this.#depth === this.#places.length) this.#places.pop()
    this.#depth -= 1
    this.#isKey = false
  }

  /** Goes on in a string whose next byte is at `start`. Returns where it ends: at its quote, or behind the bytes. */
  #addToString(bytes: Uint8Array, start: number): number {
    const end = endOfString(bytes, start + (this.#escaped ?? 0))
    this.#escaped = end < bytes.length ? undefined : end - bytes.length
    if (this.#length < 0) return end
    const part = bytes.subarray(start, end)
    const length = this.#length + part.length
    if (length <= MAX_STRING_BYTES) this.#string.set(part, this.#length)
    this.#length = length <= MAX_STRING_BYTES ? length : -1
    if (this.#length >= 0 && this.#escaped === undefined) this.#endString()
    return end
  }

  #endString(): void {
    const place = this.#places.at(-1)
    if (place === undefined) return
    if (this.#isKey) this.#key = this.#text()
    else if (IS_KEPT[place](this.#key)) this.#found[place][this.#key] = this.#text()
  }

  #text(): string {
    const bytes = this.#string.subarray(0, this.#length)
    const text = bytes.includes(BACKSLASH) ? parseJson(`"${bytes}"`) : bytes.toString()
    return typeof text === 'string' ? text : ''
  }
}
