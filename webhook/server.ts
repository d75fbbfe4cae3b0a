import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express'
import { isObject } from '../common/api/object.ts'
import { factsOf } from '../common/kube/errors.ts'
import type { Log } from '../common/log.ts'
import { defaultsPatch } from './default.ts'
import { type AdmissionRequest, type Answer, type DenialStatus, decodeReview, encodeReview } from './review.ts'
import { isTooStructured, uidWithoutParsing } from './scan.ts'
import { answerTo, type Verdict } from './verdict.ts'

/** Two objects of 3 MiB, the API server's own limit, fit. */
const BODY_LIMIT = '7mb'

export interface Deciding {
  readonly validate: (request: AdmissionRequest) => Promise<Verdict>
  readonly log: Log
}

/** The routes of admission; says nothing of sockets and TLS. */
export function admissionApp({ validate, log }: Deciding): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  // inflate off: the API server does not compress, and 7 MiB could become 7 GiB
  const body = express.json({ limit: BODY_LIMIT, type: 'application/json', strict: true, inflate: false, verify: scan })
  app.post('/mutate', isJson, body, reviewed(mutate, log))
  app.post(
    '/validate',
    isJson,
    body,
    reviewed(async (request) => answerTo(await validate(request)), log),
  )
  app.use((_request, response) => {
    response.status(404).type('text/plain').send('only POST /mutate and /validate are served here\n')
  })
  app.use(boundary(log))
  return app
}

/** Never denies: what is wrong is told by `/validate`, in one voice. */
const mutate = async (request: AdmissionRequest): Promise<Answer> => ({
  allowed: true,
  patch: defaultsPatch(request),
})

const isJson: RequestHandler = (request, response, next) => {
  if (request.is('application/json')) next()
  else response.status(415).type('text/plain').send('expected Content-Type: application/json\n')
}

const reviewed =
  (decide: (request: AdmissionRequest) => Promise<Answer>, log: Log): RequestHandler =>
  async (httpRequest, response) => {
    const review = decodeReview(httpRequest.body)
    switch (review.is) {
      case 'unreadable':
        response.status(400).type('text/plain').send(`${review.message}\n`)
        return
      case 'foreign':
        send(response, review.uid, { allowed: true })
        return
      case 'unknownVersion':
        send(
          response,
          review.uid,
          denial(400, 'BadRequest', `version ${review.version.slice(0, 60)} is not known here`),
        )
        return
      case 'ours':
        send(response, review.request.uid, await decided(decide, review.request, log))
    }
  }

/** A bug of ours refuses this one change, and is told in the log alone: a stack is nobody's business. */
async function decided(
  decide: (request: AdmissionRequest) => Promise<Answer>,
  request: AdmissionRequest,
  log: Log,
): Promise<Answer> {
  const { uid, namespace, operation } = request
  try {
    const answer = await decide(request)
    log.info({ uid, namespace, operation, allowed: answer.allowed }, 'reviewed')
    return answer
  } catch (error) {
    log.error({ uid, namespace, operation, ...factsOf(error) }, 'review failed')
    return denial(500, 'InternalError', `internal error, reference ${uid}`)
  }
}

const denial = (code: number, reason: string, message: string): Answer => {
  const status: DenialStatus = { code, reason, message }
  return { allowed: false, status }
}

const send = (response: Response, uid: string, answer: Answer): void => {
  response.status(200).json(encodeReview(uid, answer))
}

/** A body that is not worth parsing; `status` is how body-parser passes it on. */
class TooStructured extends Error {
  readonly status = 413
  readonly uid: string | undefined

  constructor(uid: string | undefined) {
    super('more than 100,000 keys and items; make the object smaller')
    this.uid = uid
  }
}

function scan(_request: unknown, _response: unknown, body: Uint8Array): void {
  if (isTooStructured(body)) throw new TooStructured(uidWithoutParsing(body))
}

const boundary =
  (log: Log): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    if (error instanceof TooStructured && error.uid !== undefined) {
      // to mutate may be skipped; validating tells it
      const answer =
        request.path === '/mutate' ? { allowed: true as const } : denial(413, 'RequestEntityTooLarge', error.message)
      send(response, error.uid, answer)
      return
    }
    const status = isObject(error) && typeof error.status === 'number' ? error.status : 500
    if (status >= 500) log.error(factsOf(error), 'request failed')
    response
      .status(status)
      .type('text/plain')
      .send(`${WORDS[status] ?? 'the request could not be read'}\n`)
  }

const WORDS: Readonly<Record<number, string>> = {
  400: 'the body is not JSON',
  413: 'the body is too large',
  415: 'the body is encoded in a way that is not served here',
  500: 'internal error',
}
