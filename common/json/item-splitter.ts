import { endOfString } from './bytes.ts'

/** Takes the bytes of a value, which come in parts. */
interface Taker {
  readonly add: (part: Uint8Array) => void
}

interface Parts<Item> {
  /** the keys that lead to the list, at each level one of these; without any, nothing is split */
  readonly path: readonly (readonly string[])[]
  /** takes all that is no item; the list has none */
  readonly rest: Taker
  /** Makes what takes the next item. */
  readonly item: () => Item
}

const WHITE_SPACE: readonly number[] = [0x20, 0x09, 0x0a, 0x0d]

/** The most characters of a key that are compared with the path. */
const MAX_KEY = 32

/**
 * Finds the items of a list in JSON (UTF-8) that comes in chunks, without parsing it. The whole is JSON if and only if
 * each item is and the rest is. Of several lists at the path only the first one is split.
 */
export class ItemSplitter<Item extends Taker> {
  /** the most lists and objects within each other */
  deepest = 0
  /** how many values the rest has; a member and a list or an object count twice */
  values = 0
  /** the last key on the path to the list; undefined: that has not begun */
  key: string | undefined
  /** what takes the item that is read; undefined outside the list */
  item: Item | undefined
  readonly #parts: Parts<Item>
  readonly #listLevel: number
  #level = 0
  /** so many of the objects around this place are on the path */
  #onPath = 0
  /** the last string in the innermost of them, from its begin on */
  #string = ''
  /** how many bytes of the next chunk are escaped; undefined outside a string */
  #escaped: number | undefined
  #hasItems = false

  constructor(parts: Parts<Item>) {
    this.#parts = parts
    this.#listLevel = parts.path.length + 1
  }

  /** The items that end in the next chunk, in which there may be anything. */
  items(chunk: Uint8Array): readonly Item[] {
    const ended: Item[] = []
    let from = 0
    let at = this.#escaped === undefined ? 0 : this.#endOfString(chunk, this.#escaped) + 1
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      switch (byte) {
        case 0x22: // "
          if (this.#onPath === this.#level) this.#string = ''
          at = this.#endOfString(chunk, at + 1)
          break
        case 0x5b: // [
        case 0x7b: // {
          this.#level += 1
          if (this.#level > this.deepest) this.deepest = this.#level
          if (!this.item && this.#opens(byte === 0x5b)) {
            this.#parts.rest.add(chunk.subarray(from, at + 1))
            this.item = this.#parts.item()
            from = at + 1
          }
          break
        case 0x5d: // ]
        case 0x7d: // }
          if (this.item && this.#level === this.#listLevel) {
            this.#add(chunk.subarray(from, at))
            if (this.#hasItems) ended.push(this.item)
            this.item = undefined
            from = at
          }
          this.#level -= 1
          if (this.#onPath > this.#level) this.#onPath = this.#level
          break
        case 0x2c: // ,
          if (!this.item) this.values += 1
          else if (this.#level === this.#listLevel) {
            this.#add(chunk.subarray(from, at))
            ended.push(this.item)
            this.#hasItems = true
            this.item = this.#parts.item()
            from = at + 1
          }
          break
        case 0x3a: // :
          if (!this.item) this.values += 1
          break
      }
    }
    this.#add(chunk.subarray(from))
    return ended
  }

  #add(part: Uint8Array): void {
    this.#hasItems ||= this.item !== undefined && part.some((byte) => !WHITE_SPACE.includes(byte))
    const taker = this.item ?? this.#parts.rest
    taker.add(part)
  }

  /** Where the string ends whose next byte is at `start`: at its quote, or behind the chunk. */
  #endOfString(chunk: Uint8Array, start: number): number {
    const end = endOfString(chunk, start)
    this.#escaped = end < chunk.length ? undefined : end - chunk.length
    if (this.#onPath === this.#level && this.#string.length < MAX_KEY)
      this.#string += String.fromCharCode(...chunk.subarray(start, Math.min(end, start + MAX_KEY)))
    return end
  }

  /** Whether what opens outside the list is the list. */
  #opens(isList: boolean): boolean {
    this.values += 1
    const { path } = this.#parts
    const around = this.#level - 1
    const isOnPath = this.#onPath === around && (around === 0 || path[around - 1]?.includes(this.#string) === true)
    const isTheList = isOnPath && isList && around === path.length && around > 0 && this.key === undefined
    if (isTheList) this.key = this.#string
    else if (isOnPath && !isList) this.#onPath = this.#level
    return isTheList
  }
}
