import express, { type Request, type RequestHandler } from 'express'
import type { InFlight } from './in-flight.ts'
import { RequestError } from './request-error.ts'
import { isTooStructured, uidWithoutParsing } from './scan.ts'

/** Two objects of 3 MiB, the limit of the API server, fit into it. */
const BODY_LIMIT = 7 * 1024 * 1024

/**
 * The steps from a request to its parsed body, the cheapest check first. A step that rejects the request throws
 * `RequestError`. Not `express.json`, which would decode and parse in one turn of the event loop.
 */
export const intake = (flight: InFlight): readonly RequestHandler[] => [
  requireJson,
  reserveBytes(flight),
  express.raw({ limit: BODY_LIMIT, type: 'application/json', inflate: false }), // 7 MiB could decompress to 7 GiB
  reserveReview(flight),
  yieldIfLarge,
  decodeText,
  yieldIfLarge,
  parseJson,
  yieldIfLarge,
]

const requireJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json')) next()
  else throw new RequestError('expected Content-Type: application/json', { status: 415, reason: 'contentType' })
}

/** Scanning or parsing this many bytes takes a millisecond. */
const LARGE = 256 * 1024

/** After a step with a large body, other requests come first. */
const yieldIfLarge: RequestHandler = (request, _response, next) => {
  if (lengthOf(request) > LARGE) setImmediate(next)
  else next()
}

const lengthOf = ({ headers }: Request): number => Number(headers['content-length'] ?? BODY_LIMIT)

/** Rejects a body while too many bytes are in use. A body of unknown length counts as the longest possible. */
const reserveBytes =
  ({ bytes }: InFlight): RequestHandler =>
  (request, response, next) => {
    const release = bytes.take(Math.min(lengthOf(request), BODY_LIMIT))
    if (!release) throw new RequestError('too many bytes at once; try again', { status: 503, reason: 'bytes' })
    response.once('close', release)
    next()
  }

/** Rejects a body, before it is parsed, while too many reviews are decided, or if it has too much structure. */
const reserveReview =
  ({ reviews }: InFlight): RequestHandler =>
  (request, response, next) => {
    const bytes = bytesOf(request)
    const release = reviews.take()
    if (!release)
      throw new RequestError('too many reviews at once; try again', {
        status: 429,
        reason: 'cap',
        uid: uidWithoutParsing(bytes),
      })
    response.once('close', release)
    if (isTooStructured(bytes))
      throw new RequestError('more than 100,000 keys and items; make the object smaller', {
        status: 413,
        reason: 'structure',
        uid: uidWithoutParsing(bytes),
      })
    next()
  }

const decodeText: RequestHandler = (request, _response, next) => {
  request.body = bytesOf(request).toString()
  next()
}

const parseJson: RequestHandler = (request, _response, next) => {
  request.body = jsonIn(request.body)
  if (request.body === undefined) throw new RequestError('the body is not JSON', { status: 400, reason: 'json' })
  next()
}

/** Parsed JSON; undefined if `text` is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bytes that `express.raw` has read; empty if there was no body. */
const bytesOf = ({ body }: Request): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))
