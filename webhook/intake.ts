import type { ServerResponse } from 'node:http'
import express, { type Request, type RequestHandler } from 'express'
import type { InFlight } from './in-flight.ts'
import { Refused } from './refused.ts'
import { isTooStructured, uidWithoutParsing } from './scan.ts'

/** 7 MiB: two objects of 3 MiB, the API server's own limit, fit. */
const BODY_LIMIT = 7 * 1024 * 1024

/** What a request passes before its body is an object; each step throws `Refused`, the cheapest first. */
export const intake = (flight: InFlight): readonly RequestHandler[] => [
  isJson,
  announced(flight),
  body(flight),
  othersTurn,
]

const isJson: RequestHandler = (request, _response, next) => {
  if (request.is('application/json')) next()
  else throw new Refused('expected Content-Type: application/json', { status: 415, why: 'contentType' })
}

/** Parsing as much as this takes a millisecond. */
const LARGE = 256 * 1024

/** Parsing a large body has held up others: they come first. */
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

/** Reads and parses a body, unless there is too much to do or it is not worth it. */
const body = ({ reviews }: InFlight): RequestHandler =>
  express.json({
    limit: BODY_LIMIT,
    type: 'application/json',
    strict: true,
    inflate: false, // the API server does not compress, and 7 MiB could become 7 GiB
    verify: (_request, response: ServerResponse, bytes) => {
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
    },
  })
