/** The longest line of a watch that we take: an object of 1.5 MiB, etcd's limit, fits with room for escapes. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024

const LINE_FEED = 0x0a

/** A watch told something that is no event: the connection cannot be trusted any more. */
export class BadLine extends Error {
  override readonly name = 'BadLine'
}

/**
 * The lines in `chunks`, in order, without their line feeds. Bytes are joined before they are decoded, so that a
 * character may span chunks.
 * @throws BadLine on a line over `maxBytes`, before it is read to its end.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      if (length + end - from > maxBytes) throw new BadLine(`a line is over ${maxBytes} bytes long`)
      yield decode([...parts, chunk.subarray(from, end)])
      parts = []
      length = 0
      from = end + 1
    }
    parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > maxBytes) throw new BadLine(`a line is over ${maxBytes} bytes long`)
  }
  if (length > 0) yield decode(parts)
}

const decode = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8')
