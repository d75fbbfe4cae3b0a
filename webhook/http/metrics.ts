import type { ValidationAction } from '../../common/policy/policy.ts'
import type { Count, Metrics } from '../../common/program/metrics.ts'
import type { ClosedBecause } from './connections.ts'
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

/** Buckets from a review that is decided from memory to one that the API server aborts. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Registers the metrics of reviews, and returns functions that count what happens to requests. */
export function reviewMetrics(metrics: Metrics, { reviews, bytes }: InFlight) {
  const named = (name: string, help: string) => ({ name: `${METRIC_PREFIX}${name}`, help })
  const counter = <L extends string = never>(name: string, help: string, labels: readonly L[] = []): Count<L> =>
    metrics.counter({ ...named(name, help), labels })
  metrics.gauge({ ...named('in_flight', 'Reviews being decided.'), read: () => reviews.used })
  metrics.gauge({ ...named('in_flight_bytes', 'Memory for request bodies in use, in bytes.'), read: () => bytes.used })
  const refused = counter('refused_total', 'Requests rejected before their object was read, by cause.', ['why'])
  const ruled = counter('policy_findings_total', 'Findings of policies in reviews, by validation action.', ['action'])
  const outcome: readonly (keyof ReviewLabels)[] = ['path', 'operation', 'outcome']
  const time = named('review_seconds', 'Seconds from reading a body to its response.')
  return {
    reviewed: counter('reviews_total', 'Reviews of our resources, by outcome.', outcome),
    startReview: metrics.durations({ ...time, labels: ['path'], seconds: SECONDS }),
    refused: (why: RequestErrorReason) => refused({ why }),
    /** a review of another resource: the webhook configuration has been widened */
    foreign: counter('foreign_total', 'Reviews of other resources, which are allowed without being read.'),
    /** a bug */
    failed: counter('internal_errors_total', 'Reviews and requests that failed because of a bug.'),
    /** a finding of a policy, whatever the outcome of the review */
    ruled: (action: ValidationAction) => ruled({ action }),
  }
}

/** Registers the metrics of connections. Returns the function that counts those that were closed. */
export function connectionMetrics(
  metrics: Metrics,
  connections: { readonly open: number },
): (why: ClosedBecause) => void {
  metrics.gauge({
    name: `${METRIC_PREFIX}connections`,
    help: 'Open connections to the admission port.',
    read: () => connections.open,
  })
  const closed = metrics.counter({
    name: `${METRIC_PREFIX}connections_closed_total`,
    help: 'Connections closed because they asked for no review: too many were open, or no TLS handshake took place.',
    labels: ['why'],
  })
  return (why) => closed({ why })
}

/** Registers the number of secrets by which callers are accepted. */
export const callerMetrics = (metrics: Metrics, secrets: { readonly accepted: readonly string[] }): void =>
  metrics.gauge({
    name: `${METRIC_PREFIX}path_secrets`,
    help: 'Secrets that are accepted in the path of a call. Without any, only client certificates tell callers apart.',
    read: () => secrets.accepted.length,
  })

/** Functions that count what happens to requests. */
export type ReviewMetrics = ReturnType<typeof reviewMetrics>

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
