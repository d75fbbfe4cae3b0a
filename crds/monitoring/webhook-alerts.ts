import { type Alert, OF_INSTALLATION } from './alert.ts'

/** Calls of the webhook that the API server counts as failed. */
const REJECTIONS =
  'apiserver_admission_webhook_rejection_count{name="validate.experimentcontroller.example.com", error_type="calling_webhook_error"}'

/** Alerts about whether the webhook can answer. The names lack the prefix "Experiment". */
export const WEBHOOK_ALERTS: Readonly<Record<string, Alert>> = {
  WebhookAbsent: {
    expr: `absent(webhook_certificate_not_after_seconds{${OF_INSTALLATION}})`,
    for: '5m',
    severity: 'critical',
    summary: 'No webhook of experiments is being scraped.',
    description: 'No replica runs, or the monitor may not reach port 8080. If none runs, no experiment can be created.',
    remedy: 'Look at the pods of the Deployment experiment-webhook, and at the NetworkPolicy of the same name.',
    section: 'When the webhook is down',
  },
  WebhookUnreachable: {
    // the second half: an API server that was scraped has no such series before its first rejection, so that this one
    // is no increase
    expr:
      `sum by (name) (increase(${REJECTIONS}[5m])) > 0 or ` +
      `sum by (name) ((${REJECTIONS} unless ${REJECTIONS} offset 5m) and on (job, instance) (up offset 5m == 1)) > 0`,
    severity: 'critical',
    summary: 'The API server cannot call the webhook of experiments.',
    description:
      'Experiments cannot be created or changed. Forks keep running. This metric is served by the API server.',
    remedy:
      'Look at the pods, the Service experiment-webhook and the field caBundle of the webhook configurations. ' +
      'With CLIENT_CA, look at the certificate of the API server, too.',
    section: 'When the webhook is down',
  },
  WebhookCertificateExpires: {
    expr: 'min by (namespace) (webhook_certificate_not_after_seconds) - time() < 14 * 86400',
    for: '1h',
    severity: 'warning',
    summary: "The webhook's certificate in {{ $labels.namespace }} expires within 14 days.",
    description: 'Nobody renews it. Once it has expired, no experiment can be created or changed.',
    remedy:
      'With cert-manager, look at the Certificate experiment-webhook-tls. Without it, run the script: npm run certs.',
    section: 'Install',
  },
  WebhookCertificateUnusable: {
    expr: 'sum by (namespace, pod) (increase(experiment_webhook_certificate_reload_failures_total[15m])) > 0',
    severity: 'warning',
    summary: '{{ $labels.pod }} cannot use the new certificate.',
    description: 'It serves the old certificate until that one expires. Its log says what is wrong with the new one.',
    remedy: 'Compare key, names and dates in the Secret experiment-webhook-tls. Renew it.',
    section: 'Install',
  },
  WebhookInternalErrors: {
    expr: 'sum by (namespace) (increase(experiment_webhook_internal_errors_total[15m])) > 0',
    severity: 'warning',
    summary: 'The webhook in {{ $labels.namespace }} refuses experiments because of a bug.',
    description: 'The message of the refusal has a reference, by which the error is found in the log.',
    remedy: 'Report the lines of the log with the level error.',
    section: 'Troubleshooting',
  },
}

/** Alerts about reviews and callers of the webhook. The names lack the prefix "Experiment". */
export const REVIEW_ALERTS: Readonly<Record<string, Alert>> = {
  WebhookSlow: {
    expr: 'histogram_quantile(0.99, sum by (namespace, path, le) (rate(experiment_webhook_review_seconds_bucket[5m]))) > 2',
    for: '10m',
    severity: 'warning',
    summary: 'One review in a hundred takes more than 2 s ({{ $labels.path }}).',
    description: 'The API server waits for two seconds for defaults, and for five seconds for the validation.',
    remedy: 'Look at the load of the API server and of the nodes on which the webhook runs.',
    section: 'Troubleshooting',
  },
  WebhookTimesOut: {
    expr: 'sum by (namespace) (increase(experiment_webhook_reviews_total{outcome="timedOut"}[10m])) > 5',
    severity: 'warning',
    summary: 'The webhook in {{ $labels.namespace }} cannot check permissions or policies in time.',
    description: 'It refuses such experiments with "could not be checked in time, try again".',
    remedy: 'Look at the load of the API server, and whether the account of the webhook still has its permissions.',
    section: 'Troubleshooting',
  },
  WebhookRefusesCallers: {
    expr: 'sum by (namespace, why) (increase(experiment_webhook_refused_total{why=~"caller|stalled|bytes|cap"}[15m])) > 20',
    severity: 'warning',
    summary: 'The webhook in {{ $labels.namespace }} refuses requests ({{ $labels.why }}).',
    description:
      'caller: somebody other than the API server calls, or the API server uses an old secret. stalled: a caller sends slowly. bytes, cap: many callers ask at once.',
    remedy:
      'Restrict who can reach the admission port. After a change of the secret in the path, apply the overlay again; without cert-manager, run npm run certs.',
    section: 'Who may call the webhook',
  },
  WebhookConnectionsClosed: {
    expr: 'sum by (namespace, why) (increase(experiment_webhook_connections_closed_total[15m])) > 100',
    severity: 'warning',
    summary: 'Somebody opens connections to the webhook in {{ $labels.namespace }} and sends nothing.',
    description: 'The API server does not do this. Each connection is closed after some seconds.',
    remedy: 'Restrict who can reach the admission port.',
    section: 'Who may call the webhook',
  },
  WebhookReviewsOthers: {
    expr: 'sum by (namespace) (increase(experiment_webhook_foreign_total[1h])) > 0',
    severity: 'info',
    summary: 'The webhook in {{ $labels.namespace }} is asked about other resources.',
    description: 'It allows them unread. Somebody has added rules to the webhook configuration.',
    remedy: 'Apply the manifests again.',
    section: 'Upgrade',
  },
}
