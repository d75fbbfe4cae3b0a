import type { ValidationAction } from '../../common/policy/policy.ts'
import type { ClosedBecause } from '../../common/program/connections.ts'
import type { Count, MetricDescription, Metrics } from '../../common/program/metrics.ts'
import type { InFlight } from './in-flight.ts'
import type { RequestErrorReason } from './request-error.ts'

/** The two paths that the API server calls. */
export type ReviewPath = 'mutate' | 'validate'

/** The prefix of most of the webhook's metrics, and of Node's default metrics. */
export const METRIC_PREFIX = 'experiment_webhook_'

/** The labels of a finished review. */
export interface ReviewLabels {
  readonly path: ReviewPath
  readonly operation: 'CREATE' | 'UPDATE'
  readonly outcome: 'allowed' | 'invalid' | 'forbidden' | 'timedOut' | 'failed'
}

/** Buckets from a review that is decided from memory to one that the API server aborts. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Every metric of the webhook by its full name. Values of labels come from short lists in our code. */
export const METRICS = {
  experiment_webhook_reviews_total: {
    is: 'counter',
    help: 'Reviews of our resources, by outcome.',
    labels: ['path', 'operation', 'outcome'],
  },
  experiment_webhook_review_seconds: {
    is: 'histogram',
    help: 'Seconds from reading a body to its response.',
    labels: ['path'],
    seconds: SECONDS,
  },
  experiment_webhook_in_flight: { is: 'gauge', help: 'Reviews being decided.', combine: 'sum' },
  experiment_webhook_in_flight_bytes: {
    is: 'gauge',
    help: 'Memory for request bodies in use, in bytes.',
    combine: 'sum',
  },
  experiment_webhook_refused_total: {
    is: 'counter',
    help: 'Requests rejected before their object was read, by cause.',
    labels: ['why'],
  },
  experiment_webhook_policy_findings_total: {
    is: 'counter',
    help: 'Findings of policies in reviews, by validation action.',
    labels: ['action'],
  },
  experiment_webhook_foreign_total: {
    is: 'counter',
    help: 'Reviews of other resources, which are allowed without being read.',
  },
  experiment_webhook_internal_errors_total: {
    is: 'counter',
    help: 'Reviews and requests that failed because of a bug.',
  },
  experiment_webhook_connections: {
    is: 'gauge',
    help: 'Open connections to the admission port.',
    combine: 'sum',
  },
  experiment_webhook_connections_closed_total: {
    is: 'counter',
    help: 'Connections that the webhook closed: too many were open, there was no TLS handshake, or an answer was not read.',
    labels: ['why'],
  },
  experiment_webhook_path_secrets: {
    is: 'gauge',
    help: 'Secrets that are accepted in the path of a call. Without any, only client certificates distinguish callers.',
    combine: 'min',
  },
  webhook_certificate_not_after_seconds: {
    is: 'gauge',
    help: 'When the served certificate expires, in seconds since 1970.',
    combine: 'min',
  },
  experiment_webhook_certificate_reload_failures_total: {
    is: 'counter',
    help: 'Failed reloads of the certificate. The old one is still served.',
  },
} as const satisfies Readonly<Record<string, MetricDescription>>

type Named = typeof METRICS
type Label<N extends keyof Named> = Named[N] extends { labels: readonly (infer L extends string)[] } ? L : never

const of = <N extends keyof Named>(name: N) => {
  const { help, labels = [] } = METRICS[name] as MetricDescription
  return { name, help, labels: labels as readonly Label<N>[] }
}

/** Registers the metrics of reviews, and returns functions that count what happens to requests. */
export function reviewMetrics(metrics: Metrics, { reviews, bytes }: InFlight) {
  metrics.gauge({ ...of('experiment_webhook_in_flight'), read: () => reviews.used })
  metrics.gauge({ ...of('experiment_webhook_in_flight_bytes'), read: () => bytes.used })
  const refused = metrics.counter(of('experiment_webhook_refused_total'))
  const ruled = metrics.counter(of('experiment_webhook_policy_findings_total'))
  const reviewed: Count<keyof ReviewLabels> = metrics.counter(of('experiment_webhook_reviews_total'))
  return {
    reviewed,
    startReview: metrics.durations({ ...of('experiment_webhook_review_seconds'), seconds: SECONDS }),
    refused: (why: RequestErrorReason) => refused({ why }),
    /** a review of another resource: the webhook configuration has been widened */
    foreign: metrics.counter(of('experiment_webhook_foreign_total')),
    /** a bug */
    failed: metrics.counter(of('experiment_webhook_internal_errors_total')),
    /** a finding of a policy, whatever the outcome of the review */
    ruled: (action: ValidationAction) => ruled({ action }),
  }
}

/** Registers the metrics of connections. Returns the function that counts those that were closed. */
export function connectionMetrics(
  metrics: Metrics,
  connections: { readonly open: number },
): (why: ClosedBecause) => void {
  metrics.gauge({ ...of('experiment_webhook_connections'), read: () => connections.open })
  const closed = metrics.counter(of('experiment_webhook_connections_closed_total'))
  return (why) => closed({ why })
}

/** Registers the number of secrets by which callers are accepted. */
export const callerMetrics = (metrics: Metrics, secrets: { readonly accepted: readonly string[] }): void =>
  metrics.gauge({ ...of('experiment_webhook_path_secrets'), read: () => secrets.accepted.length })

/** Functions that count what happens to requests. */
export type ReviewMetrics = ReturnType<typeof reviewMetrics>

/** Registers the metrics of the certificate. Returns the function that counts failed reloads. */
export function certificateMetrics(metrics: Metrics, served: { readonly notAfter: Date }): Count<never> {
  metrics.gauge({
    ...of('webhook_certificate_not_after_seconds'),
    read: () => served.notAfter.getTime() / 1_000,
  })
  return metrics.counter(of('experiment_webhook_certificate_reload_failures_total'))
}
