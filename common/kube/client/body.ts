import type { Dispatcher } from 'undici'
import { UNREAD } from '../../api/object.ts'
import { joined } from '../../json/bytes.ts'
import { parseJson } from '../../json/json.ts'
import { isDeeperThan } from '../../json/nesting.ts'
import { MAX_STRUCTURE } from '../../json/too-structured.ts'
import { KubeError } from './errors.ts'
import { ListSplitter } from './list-splitter.ts'
import { MAX_DEPTH, ObjectBytes } from './objects.ts'

type Body = AsyncIterable<Uint8Array> & Pick<Dispatcher.ResponseData['body'], 'text'>

/** How a body is read. */
interface BodyReading {
  /** what it holds: `any` is parsed whole, however long it is */
  readonly holds: 'object' | 'list' | 'any'
  /** of a longer one, the rest is not read; absent: no limit */
  readonly maxBytes?: number | undefined
}

/** Objects that are too large are read to their end and not kept. They may make a body this many times as long. */
const SKIPPED = 4
/** Other work comes first after items of this many bytes were parsed: that takes a few milliseconds. */
const TURN_BYTES = 256 * 1024

/**
 * The JSON value in the body of a response; undefined if it is not JSON. Objects in it that are too large have the mark
 * `UNREAD`. At most 1.5 MiB are parsed in one turn of the event loop. Does not read a body of which more than
 * `maxBytes` would be kept to its end, and closes its connection.
 * @throws KubeError `invalid` for such a body: another try would be as long
 */
export async function bodyValue(body: Body, { holds, maxBytes = Number.POSITIVE_INFINITY }: BodyReading) {
  if (holds === 'any') return parseJson(await body.text())
  let read: ListSplitter | ObjectBytes | undefined
  let [length, parsedBefore] = [0, 0]
  const first: Uint8Array[] = []
  for await (const chunk of body) {
    length += chunk.length
    if (read) read.add(chunk)
    else first.push(chunk)
    if (!read && length > MAX_STRUCTURE) read = readingAgain(first, holds)
    if ((read?.kept ?? length) > maxBytes || length > SKIPPED * maxBytes)
      throw new KubeError({ kind: 'invalid', message: `the response is longer than ${maxBytes} bytes` })
    if (read instanceof ListSplitter && read.parsed - parsedBefore > TURN_BYTES) {
      parsedBefore = read.parsed
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  if (!read) {
    const whole = joined(first)
    // nearly all bodies: it cannot have too much structure
    if (!isDeeperThan(MAX_DEPTH, whole)) return parseJson(whole.toString())
    read = readingAgain([whole], holds)
  }
  if (read instanceof ListSplitter) return read.end()
  const object = read.read()
  return 'text' in object ? parseJson(object.text) : object.unread
}

function readingAgain(chunks: readonly Uint8Array[], holds: 'object' | 'list'): ListSplitter | ObjectBytes {
  const read = holds === 'list' ? new ListSplitter() : new ObjectBytes()
  for (const chunk of chunks) read.add(chunk)
  return read
}

const LINE_FEED = 0x0a

/** A line of a watch is not a valid event. The connection can no longer be trusted. */
export class BadLine extends Error {
  override readonly name = 'BadLine'
}

/**
 * The lines in `chunks`, in order and without line feeds. A character may span chunks: bytes are decoded by line. In
 * place of an event with an object that is too large is one with what the object is called, and a member `unread` that
 * says why: the API server writes no such member.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let line = new ObjectBytes('event')
  for await (const chunk of chunks) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end))
      yield textOf(line)
      line = new ObjectBytes('event')
      from = end + 1
    }
    line.add(chunk.subarray(from))
  }
  if (line.length > 0) yield textOf(line)
}

function textOf(line: ObjectBytes): string {
  const read = line.read()
  if ('text' in read) return read.text
  return JSON.stringify({ type: read.type, unread: read.unread[UNREAD], object: read.unread })
}
