import { EXPERIMENT_DEPLOYMENT } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import { joined } from '../../json/bytes.ts'
import { MAX_STRUCTURE, structureOf } from '../../json/too-structured.ts'
import { MetadataScan } from './metadata-scan.ts'

/**
 * The longest object that is parsed, and so the most that is parsed in one turn of the event loop. That is the limit of
 * etcd, but JSON may be longer than what etcd stores: the API server writes some characters, such as `<`, with six
 * bytes each.
 */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024

/**
 * The most levels of lists and objects in an object. An override may have 64 of them, and the object around it, with
 * the managed fields that mirror it, about ten more. Functions that call themselves for each level read what is parsed.
 */
export const MAX_DEPTH = 100

/**
 * How the API server begins an experiment, in an event or alone. One that is too deep is parsed all the same: decoding
 * it bounds its depth, so that its status can say where the override is too deep.
 */
const BEGINS_EXPERIMENT = new RegExp(
  `^(\\{"type":"[A-Z]+","object":)?\\{"apiVersion":"${EXPERIMENT_DEPLOYMENT.apiVersion}","kind":"${EXPERIMENT_DEPLOYMENT.kind}",`,
)
/** More than that match has. */
const BEGIN_BYTES = 256

/**
 * What a character of structure counts for, in bytes. An object without texts takes some 40 bytes of memory for each of
 * them, so that 4 MiB of such objects would take 50 MB. Usual objects have fewer than one in so many bytes.
 */
const STRUCTURE_BYTES = 8

/** What is around the object of an event. */
const EVENT_BYTES = 64
const EVENT_LEVELS = 1

const TOO_LONG = 'it is longer than 1.5 MiB'
// not by `toLocaleString`: loading the rules of a language takes as long as half of the start of Node
const TOO_STRUCTURED = `it has more than ${MAX_STRUCTURE / 1_000},000 keys and items`
const TOO_DEEP = `it is nested deeper than ${MAX_DEPTH} levels`

/**
 * What is read of the bytes of an object: their text, and how many bytes it counts for, which are more than it has if
 * it is mostly structure. Or what it is called and why it was not read.
 */
export type ReadObject =
  | { readonly text: string; readonly weight: number }
  | { readonly type: string | undefined; readonly unread: KubeObject }

/**
 * The bytes of one object, which come in pieces. Keeps at most `MAX_OBJECT_BYTES` of them. An object that is longer, or
 * that has more structure or more levels than any honest one, is not to be parsed. That depends on nothing but the
 * object.
 */
export class ObjectBytes {
  readonly #start: 'event' | 'object'
  #parts: Uint8Array[] = []
  #length = 0
  #scan: MetadataScan | undefined

  /** @param start what the JSON value is */
  constructor(start: 'event' | 'object' = 'object') {
    this.#start = start
  }

  /** How many bytes there were so far. */
  get length(): number {
    return this.#length
  }

  /** How many of them are kept. */
  get kept(): number {
    return this.#scan ? 0 : this.#length
  }

  add(bytes: Uint8Array): void {
    this.#length += bytes.length
    if (this.#scan) this.#scan.add(bytes)
    else this.#parts.push(bytes)
    const maxBytes = MAX_OBJECT_BYTES + (this.#start === 'event' ? EVENT_BYTES : 0)
    if (this.#length > maxBytes) this.#scan ??= this.#scanned()
  }

  read(): ReadObject {
    if (this.#scan) return unread(this.#scan, TOO_LONG)
    const bytes = joined(this.#parts)
    const { characters, levels } = structureOf(bytes)
    if (characters > MAX_STRUCTURE) return unread(this.#scanned(), TOO_STRUCTURED)
    const maxLevels = MAX_DEPTH + (this.#start === 'event' ? EVENT_LEVELS : 0)
    const isExperiment = () => BEGINS_EXPERIMENT.test(bytes.toString('utf8', 0, BEGIN_BYTES))
    if (levels > maxLevels && !isExperiment()) return unread(this.#scanned(), TOO_DEEP)
    return { text: bytes.toString(), weight: Math.max(bytes.length, characters * STRUCTURE_BYTES) }
  }

  #scanned(): MetadataScan {
    const scan = new MetadataScan(this.#start)
    for (const part of this.#parts) scan.add(part)
    this.#parts = []
    return scan
  }
}

const unread = (scan: MetadataScan, because: string): ReadObject => ({
  type: scan.type,
  unread: scan.object(because),
})
