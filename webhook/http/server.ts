import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express'
import { escapeInvisible } from '../../common/json/escape.ts'
import { factsOf } from '../../common/kube/client/errors.ts'
import { realTimers, type Timers } from '../../common/program/clock.ts'
import { startDeadline, unlessAborted } from '../../common/program/deadline.ts'
import type { Log } from '../../common/program/log.ts'
import { Metrics } from '../../common/program/metrics.ts'
import { type AdmissionRequest, decodeReview, encodeReview, type ReviewAnswer } from '../review/admission-review.ts'
import { answerForDecision, deniedAnswer, type ReviewDecision } from '../review/decision.ts'
import { type InFlight, inFlight, setAnswered } from './in-flight.ts'
import { intake } from './intake.ts'
import { type ReviewLabels, type ReviewMetrics, type ReviewPath, reviewMetrics } from './metrics.ts'
import { notFound } from './path-secret.ts'
import { RequestError } from './request-error.ts'

/** What the app needs to answer reviews. */
export interface AdmissionHandlers {
  /** an error that it throws is a bug */
  readonly validate: (request: AdmissionRequest, limitMs: number) => Promise<ReviewDecision>
  /** never denies; an error that it throws is a bug */
  readonly mutate: (request: AdmissionRequest, limitMs: number) => Promise<ReviewAnswer>
  readonly log: Log
  readonly flight?: InFlight
  readonly metrics?: ReviewMetrics
  /** reject callers that are not accepted, before the body is read; default: any caller is */
  readonly guards?: readonly RequestHandler[]
  readonly timers?: Timers
}

type Endpoint = { readonly path: ReviewPath; readonly decide: AdmissionHandlers['mutate'] }
type Serving = Required<Pick<AdmissionHandlers, 'log' | 'flight' | 'metrics' | 'timers'>>

/** The app with the routes of admission, without sockets and TLS. */
export function admissionApp({
  mutate,
  validate,
  log,
  flight = inFlight(),
  metrics = reviewMetrics(new Metrics(), flight),
  guards = [],
  timers = realTimers(),
}: AdmissionHandlers): Express {
  const serving = { log, flight, metrics, timers }
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  const endpoints: readonly Endpoint[] = [
    { path: 'mutate', decide: mutate },
    { path: 'validate', decide: async (...review) => answerForDecision(await validate(...review)) },
  ]
  for (const endpoint of endpoints)
    app.post(pathOf(endpoint), ...guards, ...intake(flight), reviewed(endpoint, serving))
  app.use(() => {
    throw notFound('path')
  })
  app.use(boundary(serving))
  return app
}

/**
 * The path, which may end with a secret. A guard checks it; without a guard any is accepted, also while it is set up.
 */
const pathOf = ({ path }: Endpoint): RegExp => new RegExp(`^/${path}(?:/[\\w-]{1,128})?$`)

const reviewed =
  (endpoint: Endpoint, serving: Serving): RequestHandler =>
  async (request, response) => {
    const { body } = request
    request.body = undefined // a connection keeps its last request, and would keep the body with it
    const review = decodeReview(body)
    switch (review.is) {
      case 'unreadable':
        throw new RequestError(review.message, { status: 400, reason: 'review' })
      case 'foreign':
        serving.metrics.foreign({})
        send(response, endpoint.path, review.uid, { allowed: true })
        break
      case 'unknownVersion': {
        const message = `version ${review.version.slice(0, 60)} is not supported by this webhook`
        throw new RequestError(message, { status: 400, reason: 'version', uid: review.uid })
      }
      case 'ours': {
        const deciding = decided(endpoint, serving, review.request, timeoutMs(request.url))
        serving.flight.deciding.set(response, deciding)
        send(response, endpoint.path, review.request.uid, await deciding)
      }
    }
    setAnswered(serving.flight, response)
  }

/** A decision ends within its own limit. If a bug keeps one from ending, it must not keep its place for ever. */
const GIVE_UP_MS = 10_000

/** Decides a review. After a bug the change is denied; the details are only in the log. */
async function decided(
  { path, decide }: Endpoint,
  { log, metrics, timers }: Serving,
  request: AdmissionRequest,
  limitMs: number,
): Promise<ReviewAnswer> {
  const { uid, namespace, operation } = request
  const facts = { uid, namespace, operation, path }
  const stop = metrics.startReview()
  const deadline = startDeadline(timers, GIVE_UP_MS)
  try {
    const answer = await unlessAborted(decide(request, limitMs), deadline.signal)
    metrics.reviewed({ path, operation, outcome: outcomeOf(answer) })
    log.info({ ...facts, allowed: answer.allowed }, 'reviewed')
    return answer
  } catch (error) {
    metrics.reviewed({ path, operation, outcome: 'failed' })
    metrics.failed({})
    log.error({ ...facts, ...factsOf(error) }, 'review failed')
    return deniedAnswer(500, `internal error, reference ${uid}`)
  } finally {
    deadline.end()
    stop({ path })
  }
}

const OUTCOMES: Readonly<Record<number, ReviewLabels['outcome']>> = {
  403: 'forbidden',
  422: 'invalid',
  504: 'timedOut',
}

const outcomeOf = (answer: ReviewAnswer): ReviewLabels['outcome'] =>
  answer.allowed ? 'allowed' : (OUTCOMES[answer.status.code] ?? 'failed')

/**
 * Sends the answer. /mutate never denies: /validate reports all mistakes, and missing defaults are no reason to deny.
 */
const send = (response: Response, path: ReviewPath, uid: string, answer: ReviewAnswer): void => {
  response.status(200).json(encodeReview(uid, path === 'mutate' && !answer.allowed ? { allowed: true } : answer))
}

/** Answers errors: a RequestError with its status, anything else with 500. */
const boundary =
  ({ log, metrics, flight }: Serving): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const refused = error instanceof RequestError ? error : undefined
    if (refused) metrics.refused(refused.reason)
    else {
      metrics.failed({})
      log.error(factsOf(error), 'request failed')
    }
    const { status, message, uid } = refused ?? { status: 500, message: 'internal error', uid: undefined }
    const path = request.path.startsWith('/mutate') ? 'mutate' : 'validate'
    request.body = undefined // a refused body may be large, too
    if (uid !== undefined) send(response, path, uid, deniedAnswer(status, message))
    else
      response
        .status(status)
        .type('text/plain')
        .send(`${escapeInvisible(message)}\n`)
    setAnswered(flight, response)
  }

/** The timeout of our webhook configurations in seconds. A longer one there makes no answer later. */
const LONGEST_S = 5
/** The time for sending the answer back. */
const REST_MS = 500

/** The milliseconds to decide a review. The API server writes its timeout into the URL: `/validate?timeout=5s`. */
export function timeoutMs(url: string): number {
  const [, seconds] = /[?&]timeout=(\d{1,3})s(?:&|$)/.exec(url) ?? []
  const waitsS = seconds === undefined ? LONGEST_S : Math.min(Math.max(Number(seconds), 1), LONGEST_S)
  return waitsS * 1_000 - REST_MS
}
