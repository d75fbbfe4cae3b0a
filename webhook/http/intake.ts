import type { Request, RequestHandler } from 'express'
import { parseJson } from '../../common/json/json.ts'
import { isTooStructured } from '../../common/json/too-structured.ts'
import { BODY_LIMIT, type BodyOptions, readBody } from './body.ts'
import { type InFlight, reserve, whenOver } from './in-flight.ts'
import { RequestError, type RequestErrorReason } from './request-error.ts'

/**
 * The steps from a request to its parsed body, the cheapest check first. They throw `RequestError`. Not `express.json`,
 * which would decode and parse in one turn of the event loop.
 */
export const intake = (flight: InFlight, options: BodyOptions = {}): readonly RequestHandler[] => [
  requireJson,
  readBody(flight, options),
  reserveReview(flight),
  yieldIfLarge,
  decodeText,
  yieldIfLarge,
  parseBody,
  yieldIfLarge,
]

const requireJson: RequestHandler = (request, _response, next) => {
  // the API server writes exactly this, and `is` has to parse
  if (request.headers['content-type'] === 'application/json' || request.is('application/json')) next()
  else throw new RequestError('expected Content-Type: application/json', { status: 415, reason: 'contentType' })
}

/** Scanning or parsing this many bytes takes a millisecond. */
const LARGE = 256 * 1024

/** After a step with a large body, other requests come first. A caller that hangs up meanwhile needs no more steps. */
const yieldIfLarge: RequestHandler = (request, response, next) => {
  if (lengthOf(request) <= LARGE) return next()
  setImmediate(() => {
    if (!response.closed) next()
  })
}

const lengthOf = ({ headers }: Request): number => Number(headers['content-length'] ?? BODY_LIMIT)

/** Rejects a body, before it is parsed, while too many reviews are decided, or if it has too much structure. */
const reserveReview =
  (flight: InFlight): RequestHandler =>
  (request, response, next) => {
    const bytes = bytesOf(request)
    const rejected = (status: number, reason: RequestErrorReason, message: string) =>
      new RequestError(message, { status, reason, uid: uidWithoutParsing(bytes) })
    const release = reserve(flight, flight.reviews)
    if (!release) throw rejected(429, 'cap', 'too many reviews at once; try again')
    whenOver(flight, response, release)
    if (isTooStructured(bytes))
      throw rejected(413, 'structure', 'more than 100,000 keys and items; make the object smaller')
    next()
  }

const decodeText: RequestHandler = (request, _response, next) => {
  request.body = bytesOf(request).toString()
  next()
}

const parseBody: RequestHandler = (request, _response, next) => {
  request.body = parseJson(request.body)
  if (request.body === undefined) throw new RequestError('the body is not JSON', { status: 400, reason: 'json' })
  next()
}

/** The bytes that `readBody` has read; empty if there was no body. */
const bytesOf = ({ body }: Request): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))

const UID = /^\{"kind":"AdmissionReview","apiVersion":"admission\.k8s\.io\/v1","request":\{"uid":"([\w-]{1,64})"/

/** The uid of the review, read without parsing: the API server writes it first. Undefined if the order is another. */
export const uidWithoutParsing = (body: Uint8Array): string | undefined =>
  UID.exec(Buffer.from(body.subarray(0, 256)).toString('latin1'))?.[1]
