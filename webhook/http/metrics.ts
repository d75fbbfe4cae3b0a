import type { ValidationAction } from '../../common/policy/policy.ts'
import type { Count, Metrics, Stopwatch } from '../../common/program/metrics.ts'
import type { InFlight } from './in-flight.ts'
import type { RequestErrorReason } from './request-error.ts'

/** The two paths that the API server calls. */
export type ReviewPath = 'mutate' | 'validate'

/** The prefix of the webhook's metrics and of Node's default metrics. */
export const METRIC_PREFIX = 'experiment_webhook_'

/** The labels of a finished review. */
export interface ReviewLabels {
  readonly path: ReviewPath
  readonly operation: 'CREATE' | 'UPDATE'
  readonly outcome: 'allowed' | 'invalid' | 'forbidden' | 'timedOut' | 'failed'
}

/** Functions that count what happens to requests. */
export interface ReviewMetrics {
  readonly reviewed: Count<keyof ReviewLabels>
  readonly startReview: Stopwatch<'path'>
  readonly refused: (why: RequestErrorReason) => void
  /** a review of another resource: the webhook configuration has been widened */
  readonly foreign: Count<never>
  /** a bug */
  readonly failed: Count<never>
  /** a finding of a policy, whatever the outcome of the review */
  readonly ruled: (action: ValidationAction) => void
}

/** Buckets from a review that is decided from memory to one that the API server aborts. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Registers the metrics of reviews. */
export function reviewMetrics(metrics: Metrics, { reviews, bytes }: InFlight): ReviewMetrics {
  const named = (name: string, help: string) => ({ name: `${METRIC_PREFIX}${name}`, help })
  metrics.gauge({ ...named('in_flight', 'Reviews being decided.'), read: () => reviews.used })
  metrics.gauge({ ...named('in_flight_bytes', 'Bytes of request bodies in use.'), read: () => bytes.used })
  const refused = metrics.counter({
    ...named('refused_total', 'Requests rejected before their object was read, by cause.'),
    labels: ['why'],
  })
  const ruled = metrics.counter({
    ...named('policy_findings_total', 'Findings of policies in reviews, by validation action.'),
    labels: ['action'],
  })
  return {
    ruled: (action) => ruled({ action }),
    reviewed: metrics.counter({
      ...named('reviews_total', 'Reviews of our resources, by outcome.'),
      labels: ['path', 'operation', 'outcome'],
    }),
    startReview: metrics.durations({
      ...named('review_seconds', 'Seconds from reading a body to its response.'),
      labels: ['path'],
      seconds: SECONDS,
    }),
    refused: (why) => refused({ why }),
    foreign: metrics.counter(
      named('foreign_total', 'Reviews of other resources, which are allowed without being read.'),
    ),
    failed: metrics.counter(named('internal_errors_total', 'Reviews and requests that failed because of a bug.')),
  }
}

/** Registers the metrics of the certificate. Returns the function that counts failed reloads. */
export function certificateMetrics(metrics: Metrics, of: { readonly notAfter: Date }): Count<never> {
  metrics.gauge({
    name: 'webhook_certificate_not_after_seconds',
    help: 'When the served certificate expires, in seconds since 1970.',
    read: () => of.notAfter.getTime() / 1_000,
  })
  return metrics.counter({
    name: `${METRIC_PREFIX}certificate_reload_failures_total`,
    help: 'Failed reloads of the certificate. The old one is still served.',
  })
}
