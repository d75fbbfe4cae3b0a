/**
 * The index of the quote that ends the string whose next byte is at `start`. If it goes on behind `bytes`: their
 * length, or one more where a backslash is the last of them, so that the next byte is no end, either.
 */
export function endOfString(bytes: Uint8Array, start: number): number {
  let at = start
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === 0x22) break // "
    if (byte === 0x5c) at += 1 // \
  }
  return at
}

/** All `parts` as one. The only one is not copied. */
export function joined(parts: readonly Uint8Array[]): Buffer {
  const [only] = parts
  return only && parts.length === 1 ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(parts)
}

/** The bytes of a value, which come in parts. None of them are kept once they are more than `max`. */
export class LimitedBytes {
  readonly #max: number
  #parts: Uint8Array[] = []
  #length = 0

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  /** All of them; undefined: they are too many. */
  get all(): Buffer | undefined {
    return this.#length > this.#max ? undefined : joined(this.#parts)
  }

  add(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length <= this.#max) this.#parts.push(part)
    else this.#parts = []
  }
}
