import express, { type Request, type RequestHandler } from 'express'
import type { InFlight } from './in-flight.ts'
import { Refused } from './refused.ts'
import { isTooStructured, uidWithoutParsing } from './scan.ts'

/** 7 MiB: two objects of 3 MiB, the API server's own limit, fit. */
const BODY_LIMIT = 7 * 1024 * 1024

/**
 * What a request passes before its body is an object; each step throws `Refused`, the cheapest first. `express.json`
 * would count, decode and parse in one turn of the event loop.
 */
export const intake = (flight: InFlight): readonly RequestHandler[] => [
  isJson,
  announced(flight),
  express.raw({ limit: BODY_LIMIT, type: 'application/json', inflate: false }), // 7 MiB could become 7 GiB
  admitted(flight),
  othersTurn,
  decoded,
  othersTurn,
  parsed,
  othersTurn,
]

const isJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json')) next()
  else throw new Refused('expected Content-Type: application/json', { status: 415, why: 'contentType' })
}

/** To count or to parse as much as this takes a millisecond. */
const LARGE = 256 * 1024

/** What was done with a large body has held up others: they come first. */
const othersTurn: RequestHandler = (request, _response, next) => {
  if (lengthOf(request) > LARGE) setImmediate(next)
  else next()
}

const lengthOf = ({ headers }: Request): number => Number(headers['content-length'] ?? BODY_LIMIT)

/** A body is not read while too many bytes are on their way; one of unknown length counts as the longest. */
const announced =
  ({ bytes }: InFlight): RequestHandler =>
  (request, response, next) => {
    const giveBack = bytes.take(Math.min(lengthOf(request), BODY_LIMIT))
    if (!giveBack) throw new Refused('too many bytes at once; try again', { status: 503, why: 'bytes' })
    response.once('close', giveBack)
    next()
  }

/** A body has been read; it is parsed unless there is too much to do, or it is not worth it. */
const admitted =
  ({ reviews }: InFlight): RequestHandler =>
  (request, response, next) => {
    const bytes = bytesOf(request)
    const giveBack = reviews.take()
    if (!giveBack)
      throw new Refused('too many reviews at once; try again', {
        status: 429,
        why: 'cap',
        uid: uidWithoutParsing(bytes),
      })
    response.once('close', giveBack)
    if (isTooStructured(bytes))
      throw new Refused('more than 100,000 keys and items; make the object smaller', {
        status: 413,
        why: 'structure',
        uid: uidWithoutParsing(bytes),
      })
    next()
  }

const decoded: RequestHandler = (request, _response, next) => {
  request.body = bytesOf(request).toString()
  next()
}

const parsed: RequestHandler = (request, _response, next) => {
  request.body = jsonIn(request.body)
  if (request.body === undefined) throw new Refused('the body is not JSON', { status: 400, why: 'json' })
  next()
}

/** Undefined for what is none. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What `express.raw` read: nothing where there was no body. */
const bytesOf = ({ body }: Request): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0))
