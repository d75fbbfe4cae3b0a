import { createHash, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { RequestError } from './request-error.ts'

/** Says nothing about which paths there are. */
export const notFound = (reason: 'caller' | 'path'): RequestError =>
  new RequestError('not found; this server has POST /mutate and POST /validate', { status: 404, reason })

/**
 * Accepts only requests whose path ends with one of the secrets, as `/validate/SECRET`, if there are any. The body of
 * any other request is not read.
 */
export const requirePathSecret =
  (secrets: { readonly accepted: readonly string[] }): RequestHandler =>
  ({ path }, _response, next) => {
    const { accepted } = secrets
    const [, , segment = ''] = path.split('/')
    if (accepted.length > 0 && !accepted.some((secret) => isSame(secret, segment))) throw notFound('caller')
    next()
  }

/** Compares hashes, in constant time: the time must not tell how much of a guess is right. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(hash(one), hash(other))

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
