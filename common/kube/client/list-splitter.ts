import { isObject, parseJson } from '../../json/json.ts'
import { ObjectBytes } from './objects.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The key of the items of a list, or of the rows of a table, at the end of what comes before them. */
const BEFORE_ITEMS = /"(items|rows)"\s*:\s*\[$/

/**
 * Parses a list while it arrives: each item alone, as soon as its last byte is there. So only one item is in memory as
 * text, and no two large ones are parsed in one turn of the event loop. An item that is too large has the mark
 * `UNREAD`.
 */
export class ListSplitter {
  /** what is around the items */
  readonly #envelope = new ObjectBytes()
  readonly #items: unknown[] = []
  /** `items` or `rows`, when these have begun */
  #member: string | undefined
  /** the item that is read; undefined outside the items */
  #item: ObjectBytes | undefined
  #depth = 0
  #isInString = false
  #isEscaped = false
  #parsed = 0
  #isBroken = false

  /** How many bytes the items that were parsed so far count for: not those of items that are too large. */
  get parsed(): number {
    return this.#parsed
  }

  /** How many bytes are in memory, as text or as objects. */
  get kept(): number {
    return this.#parsed + this.#envelope.kept + (this.#item?.kept ?? 0)
  }

  /** Takes the next bytes, and parses the items that end in them. */
  add(bytes: Uint8Array): void {
    let from = 0
    for (let at = this.#isInString ? this.#endOfString(bytes, 0) + 1 : 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === QUOTE) at = this.#endOfString(bytes, at + 1)
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.#depth += 1
        if (this.#depth === 2 && byte === OPEN_BRACKET) from = this.#beginItems(bytes, from, at + 1)
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth -= 1
        if (this.#depth === 1 && this.#item) {
          this.#endItem(this.#item, bytes.subarray(from, at))
          this.#item = undefined
          from = at
        }
      } else if (byte === COMMA && this.#depth === 2 && this.#item) {
        this.#endItem(this.#item, bytes.subarray(from, at))
        this.#item = new ObjectBytes()
        from = at + 1
      }
    }
    const target = this.#item ?? this.#envelope
    target.add(bytes.subarray(from))
  }

  /** The list; undefined if it is not JSON. */
  end(): unknown {
    const read = this.#envelope.read()
    const list = 'text' in read ? parseJson(read.text) : read.unread
    if (this.#isBroken || this.#member === undefined || !isObject(list)) return this.#isBroken ? undefined : list
    return { ...list, [this.#member]: this.#items }
  }

  /** Looks whether items begin at `end` that are read alone. Returns from where the bytes are still to be taken. */
  #beginItems(bytes: Uint8Array, from: number, end: number): number {
    this.#envelope.add(bytes.subarray(from, end))
    const member = this.#member === undefined ? BEFORE_ITEMS.exec(this.#envelope.tail)?.[1] : undefined
    if (member !== undefined) {
      this.#member = member
      this.#item = new ObjectBytes()
    }
    return end
  }

  /** The index of the quote that ends a string whose next byte is at `start`; behind the last byte if it goes on. */
  #endOfString(bytes: Uint8Array, start: number): number {
    let at = start + (this.#isEscaped ? 1 : 0)
    for (; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === QUOTE) break
      if (byte === BACKSLASH) at += 1
    }
    this.#isInString = at >= bytes.length
    this.#isEscaped = at > bytes.length // the escaped character is in the next bytes
    return at
  }

  #endItem(item: ObjectBytes, last: Uint8Array): void {
    item.add(last)
    const read = item.read()
    if ('unread' in read) {
      this.#items.push(read.unread)
      return
    }
    if (read.text.trim() === '') return // of an empty list
    const value = parseJson(read.text)
    this.#isBroken ||= value === undefined
    this.#parsed += read.weight
    this.#items.push(value)
  }
}
