import { stringify } from 'yaml'
import type { Alert } from './alert.ts'
import { LEADER_ALERTS, WORK_ALERTS } from './controller-alerts.ts'
import { EXPERIMENT_ALERTS } from './experiment-alerts.ts'
import { placeOf } from './sections.ts'
import { REVIEW_ALERTS, WEBHOOK_ALERTS } from './webhook-alerts.ts'

/** Every alert by its name. */
export const ALERTS: Readonly<Record<string, Alert>> = Object.fromEntries(
  Object.entries({ ...WEBHOOK_ALERTS, ...REVIEW_ALERTS, ...LEADER_ALERTS, ...WORK_ALERTS, ...EXPERIMENT_ALERTS }).map(
    ([name, alert]) => [`Experiment${name}`, alert],
  ),
)

const COMMENT = `# Alerts for the Prometheus Operator. Generated from crds/monitoring by \`npm run generate\`. Do not edit.
`

/** The manifest with all alerts. */
export function alertManifest(): string {
  const rules = Object.entries(ALERTS).map(([alert, of]) => ({
    alert,
    expr: of.expr,
    ...(of.for && { for: of.for }),
    labels: { severity: of.severity },
    annotations: {
      summary: of.summary,
      description: of.description,
      remedy: of.remedy,
      section: placeOf(of.section),
    },
  }))
  return `${COMMENT}${stringify(
    {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: {
        name: 'experiment-deployment-controller',
        namespace: 'experiment-controller-system',
        labels: { 'app.kubernetes.io/part-of': 'experiment-deployment-controller' },
      },
      spec: { groups: [{ name: 'experiment-deployment-controller', rules }] },
    },
    { lineWidth: 0 },
  )}`
}

/** The rows of the page of metrics about alerts. */
export const alertRows = (): readonly string[] =>
  Object.entries(ALERTS).map(
    ([name, { severity, summary, remedy }]) =>
      `| \`${name}\` | ${severity} | ${withoutTemplates(summary)} | ${remedy} |`,
  )

/** `{{ $labels.pod }}` becomes "(pod)", and `{{ $value }}` "Some". */
const withoutTemplates = (text: string): string =>
  text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '*$1*').replaceAll('{{ $value }}', 'Some')
