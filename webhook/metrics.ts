import type { ValidationAction } from '../common/api/policy.ts'
import type { Count, Metrics, Stopwatch } from '../common/metrics.ts'
import type { InFlight } from './in-flight.ts'
import type { Refusal } from './refused.ts'

/** The two questions of the API server. */
export type Path = 'mutate' | 'validate'

/** The webhook's own prefix, and that of Node's metrics beside it. */
export const PREFIX = 'experiment_webhook_'

/** What became of a review. */
export interface Reviewed {
  readonly path: Path
  readonly operation: 'CREATE' | 'UPDATE'
  readonly outcome: 'allowed' | 'invalid' | 'forbidden' | 'timedOut' | 'failed'
}

export interface ReviewMetrics {
  readonly reviewed: Count<keyof Reviewed>
  readonly startReview: Stopwatch<'path'>
  readonly refused: (why: Refusal) => void
  /** a review of something that is not ours: the webhook configuration was widened */
  readonly foreign: Count<never>
  /** bugs of ours */
  readonly failed: Count<never>
  /** findings of policies, whatever came of the review */
  readonly ruled: (action: ValidationAction) => void
}

/** From a review answered out of memory to one cut off by the API server. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export function reviewMetrics(metrics: Metrics, { reviews, bytes }: InFlight): ReviewMetrics {
  const named = (name: string, help: string) => ({ name: `${PREFIX}${name}`, help })
  metrics.gauge({ ...named('in_flight', 'Reviews being decided.'), read: () => reviews.used })
  metrics.gauge({ ...named('in_flight_bytes', 'Bytes of bodies being read or decided.'), read: () => bytes.used })
  const refused = metrics.counter({
    ...named('refused_total', 'Requests answered without a look at their object, by cause.'),
    labels: ['why'],
  })
  const ruled = metrics.counter({
    ...named('policy_findings_total', 'What policies had against resources under review, by what they do about it.'),
    labels: ['action'],
  })
  return {
    ruled: (action) => ruled({ action }),
    reviewed: metrics.counter({
      ...named('reviews_total', 'Reviews of our resources, by outcome.'),
      labels: ['path', 'operation', 'outcome'],
    }),
    startReview: metrics.durations({
      ...named('review_seconds', 'From a body read to its answer.'),
      labels: ['path'],
      seconds: SECONDS,
    }),
    refused: (why) => refused({ why }),
    foreign: metrics.counter(named('foreign_total', 'Reviews of other resources, allowed unread.')),
    failed: metrics.counter(named('internal_errors_total', 'Reviews and requests that met a bug.')),
  }
}

/** Counts a look at the certificate that found it unusable; tells until when the present one is good. */
export function certificateMetrics(metrics: Metrics, of: { readonly notAfter: Date }): Count<never> {
  metrics.gauge({
    name: 'webhook_certificate_not_after_seconds',
    help: 'When the certificate that is served expires, in seconds since 1970.',
    read: () => of.notAfter.getTime() / 1_000,
  })
  return metrics.counter({
    name: `${PREFIX}certificate_reload_failures_total`,
    help: 'Looks at the certificate that found it unusable, so that the old one is served on.',
  })
}
