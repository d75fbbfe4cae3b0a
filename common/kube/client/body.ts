import type { Dispatcher } from 'undici'
import { KubeError } from './errors.ts'

/**
 * The longest line of a watch. An object of 1.5 MiB, the limit of etcd, fits: in JSON the API server writes some
 * characters, such as `<`, with six bytes each.
 */
const MAX_LINE_BYTES = 16 * 1024 * 1024

const LINE_FEED = 0x0a

/**
 * The body of a response as text. Does not read a body longer than `maxBytes` to its end, and closes its connection.
 * @throws KubeError `invalid` for such a body: another try would be as long
 */
export async function bodyText(body: Dispatcher.ResponseData['body'], maxBytes: number | undefined): Promise<string> {
  if (maxBytes === undefined) return body.text()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes)
      throw new KubeError({ kind: 'invalid', message: `the response is longer than ${maxBytes} bytes` })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A line of a watch is not a valid event. The connection can no longer be trusted. */
export class BadLine extends Error {
  override readonly name = 'BadLine'
}

/**
 * The lines in `chunks`, in order and without line feeds. A character may span chunks: bytes are decoded by line.
 * @throws BadLine for a line longer than `maxBytes`, without reading it to its end
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes = MAX_LINE_BYTES): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      if (length + end - from > maxBytes) throw new BadLine(`the line is longer than ${maxBytes} bytes`)
      yield decode([...parts, chunk.subarray(from, end)])
      parts = []
      length = 0
      from = end + 1
    }
    parts.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > maxBytes) throw new BadLine(`the line is longer than ${maxBytes} bytes`)
  }
  if (length > 0) yield decode(parts)
}

const decode = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString('utf8')
