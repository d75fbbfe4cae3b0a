const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPENING_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSING_LIST = 0x5d
const OPENING_OBJECT = 0x7b
const CLOSING_OBJECT = 0x7d
const WHITE_SPACE: readonly number[] = [0x20, 0x09, 0x0a, 0x0d]

/** The most characters of a key that are compared with the path. */
const MAX_KEY = 32

/**
 * Takes the items of the list at `path` out of JSON (UTF-8) that comes in chunks. The whole is JSON if and only if each
 * item is and the rest is. Of several lists at this path only the first one is split.
 */
export class ItemSplitter {
  /** the most lists and objects within each other */
  deepest = 0
  /** how many values the rest has; a member and a list or an object count twice */
  values = 0
  /** all that is no item; the list has none */
  readonly rest: Uint8Array[] = []
  readonly #path: readonly string[]
  readonly #maxItemBytes: number
  #level = 0
  /** so many of the objects around this place are on the path */
  #onPath = 0
  /** the last text in the innermost of them, from its begin on */
  #key = ''
  #isInText = false
  #isEscaped = false
  #isInList = false
  #wasInList = false
  #isFirst = true
  /** what former chunks have of the item that has begun */
  #begun: Uint8Array[] = []
  #begunBytes = 0

  /** @param path without one, nothing is split */
  constructor(path: readonly string[], maxItemBytes: number) {
    this.#path = path
    this.#maxItemBytes = maxItemBytes
  }

  /** The items that end in the next chunk, in which there may be anything; undefined: one that is too long. */
  *items(chunk: Uint8Array): Generator<Uint8Array | undefined> {
    let from = 0
    for (let at = this.#isInText ? this.#endOfText(chunk, 0) + 1 : 0; at < chunk.length; at += 1) {
      const byte = chunk[at]
      switch (byte) {
        case QUOTE:
          this.#isInText = true
          if (this.#isOnPath) this.#key = ''
          at = this.#endOfText(chunk, at + 1)
          break
        case OPENING_LIST:
        case OPENING_OBJECT:
          if (this.#opens(byte === OPENING_LIST)) {
            this.rest.push(chunk.subarray(from, at + 1))
            from = at + 1
          }
          break
        case CLOSING_LIST:
        case CLOSING_OBJECT:
          if (this.#closes()) {
            const item = this.#item(chunk.subarray(from, at))
            if (!this.#isFirst || !isBlank(item)) yield item
            from = at
          }
          break
        case COMMA:
          if (this.#isBetweenItems) {
            yield this.#item(chunk.subarray(from, at))
            this.#isFirst = false
            from = at + 1
          } else this.#count()
          break
        case COLON:
          this.#count()
          break
      }
    }
    if (!this.#isInList) this.rest.push(chunk.subarray(from))
    else this.#begin(chunk.subarray(from))
  }

  get #isOnPath(): boolean {
    return this.#onPath === this.#level && !this.#isInList
  }

  get #isBetweenItems(): boolean {
    return this.#isInList && this.#level === this.#path.length + 1
  }

  #count(): void {
    if (!this.#isInList) this.values += 1
  }

  /** Where the text ends that begins or goes on at `from`: at its quote, or behind the chunk. */
  #endOfText(chunk: Uint8Array, from: number): number {
    let at = from
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) {
        this.#isInText = false
        break
      }
    }
    if (this.#isOnPath && this.#key.length < MAX_KEY)
      this.#key += String.fromCharCode(...chunk.subarray(from, Math.min(at, from + MAX_KEY)))
    return at
  }

  /** Whether the list begins whose items are wanted. */
  #opens(isList: boolean): boolean {
    this.#count()
    const isOfPath = this.#isOnPath && (this.#level === 0 || this.#key === this.#path[this.#level - 1])
    const isTheList = isOfPath && isList && this.#level === this.#path.length && this.#level > 0 && !this.#wasInList
    this.#level += 1
    this.deepest = Math.max(this.deepest, this.#level)
    if (isTheList) [this.#isInList, this.#wasInList] = [true, true]
    else if (isOfPath && !isList) this.#onPath = this.#level
    return isTheList
  }

  /** Whether the list ends whose items are wanted. */
  #closes(): boolean {
    const isTheList = this.#isBetweenItems
    if (isTheList) this.#isInList = false
    this.#level -= 1
    this.#onPath = Math.min(this.#onPath, this.#level)
    return isTheList
  }

  #begin(part: Uint8Array): void {
    this.#begunBytes += part.length
    if (this.#begunBytes <= this.#maxItemBytes) this.#begun.push(part)
    else this.#begun = []
  }

  #item(end: Uint8Array): Uint8Array | undefined {
    this.#begin(end)
    const [parts, bytes] = [this.#begun, this.#begunBytes]
    this.#begun = []
    this.#begunBytes = 0
    if (bytes > this.#maxItemBytes) return undefined
    return parts.length === 1 ? end : Buffer.concat(parts)
  }
}

const isBlank = (item: Uint8Array | undefined): boolean => item?.every((byte) => WHITE_SPACE.includes(byte)) === true
