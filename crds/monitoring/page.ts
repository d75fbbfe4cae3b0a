import { METRIC_PREFIX as CONTROLLER_PREFIX } from '../../controller/metrics.ts'
import { alertRows } from './alerts.ts'
import { SERVED, type ServedMetric } from './metrics.ts'

const INTRODUCTION = `# Metrics and alerts

<!-- Generated from controller/metrics.ts, webhook/http/metrics.ts and crds/monitoring by \`npm run generate\`. Do not edit. -->

Both programs serve metrics at \`/metrics\`: the controller on port 8081, the webhook on port 8080. They also serve the
default metrics of Node, with the prefixes \`${CONTROLLER_PREFIX}\` and \`experiment_webhook_\`. No label has the name of
an object, so a large cluster has as many series as a small one. [Monitoring](operate.md#monitoring) says how to collect
them, and how to install the alerts and the dashboard.
`

const METRIC_HEADS = ['| Metric | Type | Labels | Meaning |', '| --- | --- | --- | --- |']
const ALERT_HEADS = ['| Alert | Severity | Meaning | What to do |', '| --- | --- | --- | --- |']

/** The page of all metrics and alerts. */
export function metricsPage(): string {
  return [
    INTRODUCTION,
    '## Controller\n',
    ...METRIC_HEADS,
    ...SERVED.controller.map(rowOf),
    '\n## Webhook\n',
    ...METRIC_HEADS,
    ...SERVED.webhook.map(rowOf),
    '\n## Alerts\n',
    '`manifests/monitoring` installs these. *critical*: experiments cannot be created, changed or removed now. *warning*:',
    'look today. *info*: look some time.\n',
    ...ALERT_HEADS,
    ...alertRows(),
    '',
  ].join('\n')
}

const rowOf = ({ name, is, labels = [], help }: ServedMetric): string =>
  `| \`${name}\` | ${is} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`
