import { ItemSplitter } from '../../json/item-splitter.ts'
import { isObject, parseJson } from '../../json/json.ts'
import { ObjectBytes } from './objects.ts'

/** The items of a list, or the rows of a table. */
const PATH = [['items', 'rows']]

/**
 * Parses a list while it arrives: each item alone, as soon as its last byte is there. So only one item is in memory as
 * text, and no two large ones are parsed in one turn of the event loop. An item that is too large has the mark
 * `UNREAD`.
 */
export class ListSplitter {
  /** what is around the items */
  readonly #envelope = new ObjectBytes()
  readonly #splitter = new ItemSplitter({ path: PATH, rest: this.#envelope, item: () => new ObjectBytes() })
  readonly #items: unknown[] = []
  #parsed = 0
  #isBroken = false

  /** How many bytes the items that were parsed so far count for: not those of items that are too large. */
  get parsed(): number {
    return this.#parsed
  }

  /** How many bytes are in memory, as text or as objects. */
  get kept(): number {
    return this.#parsed + this.#envelope.kept + (this.#splitter.item?.kept ?? 0)
  }

  /** Takes the next bytes, and parses the items that end in them. */
  add(bytes: Uint8Array): void {
    for (const item of this.#splitter.items(bytes)) this.#items.push(this.#valueOf(item))
  }

  /** The list; undefined if it is not JSON. */
  end(): unknown {
    const read = this.#envelope.read()
    const list = 'text' in read ? parseJson(read.text) : read.unread
    if (this.#isBroken) return undefined
    const { key } = this.#splitter
    return key !== undefined && isObject(list) ? { ...list, [key]: this.#items } : list
  }

  #valueOf(item: ObjectBytes): unknown {
    const read = item.read()
    if ('unread' in read) return read.unread
    const value = parseJson(read.text)
    this.#isBroken ||= value === undefined
    this.#parsed += read.weight
    return value
  }
}
