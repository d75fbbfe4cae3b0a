import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Response } from 'express'
import { factsOf } from '../common/kube/errors.ts'
import type { Log } from '../common/log.ts'
import { Metrics } from '../common/metrics.ts'
import { denial } from './denial.ts'
import { type InFlight, inFlight } from './in-flight.ts'
import { intake } from './intake.ts'
import { type Path, type Reviewed, type ReviewMetrics, reviewMetrics } from './metrics.ts'
import { patienceMs } from './patience.ts'
import { Refused, refusalOf } from './refused.ts'
import { type AdmissionRequest, type Answer, decodeReview, encodeReview } from './review.ts'
import { answerTo, type Verdict } from './verdict.ts'

export interface Deciding {
  /** what it throws is a bug of ours */
  readonly validate: (request: AdmissionRequest, limitMs: number) => Promise<Verdict>
  /** never denies; what it throws is a bug of ours */
  readonly mutate: (request: AdmissionRequest, limitMs: number) => Promise<Answer>
  readonly log: Log
  readonly flight?: InFlight
  readonly metrics?: ReviewMetrics
  /** who may ask, where certificates of clients are demanded */
  readonly guard?: RequestHandler
}

/** One of the two questions, and what answers it. */
interface Endpoint {
  readonly path: Path
  readonly decide: Deciding['mutate']
}

type Serving = Pick<Deciding, 'log'> & Required<Pick<Deciding, 'metrics'>>

/** The routes of admission; says nothing of sockets and TLS. */
export function admissionApp({
  mutate,
  validate,
  log,
  flight = inFlight(),
  metrics = reviewMetrics(new Metrics(), flight),
  guard = (_request, _response, next) => next(),
}: Deciding): Express {
  const serving = { log, metrics }
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  const endpoints: readonly Endpoint[] = [
    { path: 'mutate', decide: mutate },
    { path: 'validate', decide: async (...review) => answerTo(await validate(...review)) },
  ]
  for (const endpoint of endpoints) app.post(`/${endpoint.path}`, guard, ...intake(flight), reviewed(endpoint, serving))
  app.use(() => {
    throw new Refused('only POST /mutate and /validate are served here', { status: 404, why: 'path' })
  })
  app.use(boundary(serving))
  return app
}

const reviewed =
  (endpoint: Endpoint, serving: Serving): RequestHandler =>
  async (request, response) => {
    const { body } = request
    request.body = undefined // its connection keeps a request until the next one, and would keep this with it
    const { metrics } = serving
    const review = decodeReview(body)
    switch (review.is) {
      case 'unreadable':
        throw new Refused(review.message, { status: 400, why: 'review' })
      case 'foreign':
        metrics.foreign({})
        send(response, endpoint.path, review.uid, { allowed: true })
        return
      case 'unknownVersion': {
        const message = `version ${review.version.slice(0, 60)} is not known here`
        throw new Refused(message, { status: 400, why: 'version', uid: review.uid })
      }
      case 'ours':
        send(
          response,
          endpoint.path,
          review.request.uid,
          await decided(endpoint, { ...review, limitMs: patienceMs(request.url) }, serving),
        )
    }
  }

/** A bug of ours refuses this one change, and is told in the log alone: a stack is nobody's business. */
async function decided(
  { path, decide }: Endpoint,
  { request, limitMs }: { readonly request: AdmissionRequest; readonly limitMs: number },
  { log, metrics }: Serving,
): Promise<Answer> {
  const { uid, namespace, operation } = request
  const stop = metrics.startReview()
  try {
    const answer = await decide(request, limitMs)
    const { allowed } = answer
    metrics.reviewed({ path, operation, outcome: outcomeOf(answer) })
    log.info({ uid, namespace, operation, path, allowed }, 'reviewed')
    return answer
  } catch (error) {
    metrics.reviewed({ path, operation, outcome: 'failed' })
    metrics.failed({})
    log.error({ uid, namespace, operation, path, ...factsOf(error) }, 'review failed')
    return denial(500, `internal error, reference ${uid}`)
  } finally {
    stop({ path })
  }
}

const OUTCOMES: Readonly<Record<number, Reviewed['outcome']>> = { 403: 'forbidden', 422: 'invalid', 504: 'timedOut' }

const outcomeOf = (answer: Answer): Reviewed['outcome'] =>
  answer.allowed ? 'allowed' : (OUTCOMES[answer.status.code] ?? 'failed')

/** /mutate never denies: what is wrong is told by /validate, in one voice, and defaults are no reason to stop anybody. */
const send = (response: Response, path: Path, uid: string, answer: Answer): void => {
  response.status(200).json(encodeReview(uid, path === 'mutate' && !answer.allowed ? { allowed: true } : answer))
}

const boundary =
  ({ log, metrics }: Serving): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const refused = refusalOf(error)
    if (refused) metrics.refused(refused.why)
    else {
      metrics.failed({})
      log.error(factsOf(error), 'request failed')
    }
    const { status, message, uid } = refused ?? { status: 500, message: 'internal error', uid: undefined }
    const path = request.path === '/mutate' ? 'mutate' : 'validate'
    if (uid !== undefined) send(response, path, uid, denial(status, message))
    else response.status(status).type('text/plain').send(`${message}\n`)
  }
