import { stringify } from 'yaml'
import { NODE_PREFIXES, SERVED, type ServedMetric } from './metrics.ts'

/** What Grafana draws in one panel. */
interface Panel {
  readonly title: string
  readonly description: string
  readonly unit: string
  /** the name of a line may have labels: `{{pod}}` */
  readonly lines: readonly { readonly expr: string; readonly legend: string }[]
}

const PROGRAMS = ['controller', 'webhook'] as const
/** Three panels beside each other; the width of a dashboard is 24. */
const SIZE = { w: 8, h: 7 }
const COLUMNS = 3
const SOURCE = { type: 'prometheus', uid: '$' + '{datasource}' }
const IN_NAMESPACE = 'namespace=~"$namespace"'

/** The quantiles of durations that are drawn. */
const QUANTILES = [0.5, 0.99]

/** The panel of a metric: the rate of a counter, quantiles of a histogram, the value of a gauge. */
function panelOf(metric: ServedMetric): Panel {
  const { name, help: description, labels = [] } = metric
  const legend = labels.map((label) => `{{${label}}}`).join(' ')
  const of = (suffix = '') => `${name}${suffix}{${IN_NAMESPACE}}`
  if (metric.is === 'counter') {
    const expr = `sum by (${labels.join(', ')}) (rate(${of()}[$__rate_interval]))`
    return { title: name, description, unit: 'ops', lines: [{ expr, legend: legend || 'per second' }] }
  }
  if (metric.is === 'histogram') {
    const rates = `sum by (${[...labels, 'le'].join(', ')}) (rate(${of('_bucket')}[$__rate_interval]))`
    const lines = QUANTILES.map((quantile) => ({
      expr: `histogram_quantile(${quantile}, ${rates})`,
      legend: `p${100 * quantile} ${legend}`.trim(),
    }))
    return { title: name, description, unit: 's', lines }
  }
  const by = (...kept: readonly string[]) => `${metric.combine ?? 'max'} by (${kept.join(', ')}) (${of()})`
  const value = metric.addsUp ? `sum by (${labels.join(', ')}) (${by('namespace', ...labels)})` : by(...labels)
  const isDate = name.endsWith('_not_after_seconds')
  const line = { expr: isDate ? `${value} - time()` : value, legend: legend || (isDate ? 'left' : 'value') }
  return { title: name, description, unit: unitOf(name), lines: [line] }
}

const unitOf = (name: string): string => (name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'bytes' : 'short')

/** Some of the default metrics of Node, of each replica. */
const nodePanels = (): readonly Panel[] =>
  PROGRAMS.flatMap((program) => {
    const of = (name: string) => `${NODE_PREFIXES[program]}${name}{${IN_NAMESPACE}}`
    const panel = (name: string, description: string, unit: string, expr = of(name)) => ({
      title: `${NODE_PREFIXES[program]}${name}`,
      description,
      unit,
      lines: [{ expr: `max by (pod) (${expr})`, legend: '{{pod}}' }],
    })
    const cpu = 'process_cpu_seconds_total'
    return [
      panel('process_resident_memory_bytes', 'Memory of each replica.', 'bytes'),
      panel('nodejs_heap_size_used_bytes', 'The heap of each replica, which may be half of the memory limit.', 'bytes'),
      panel(cpu, 'CPU time of each replica, in seconds per second.', 'short', `rate(${of(cpu)}[$__rate_interval])`),
      panel('nodejs_eventloop_lag_p99_seconds', 'How late the event loop of each replica is.', 's'),
    ]
  })

/** All panels, by the title of their row. Every metric has one. */
export const dashboardPanels = (): Readonly<Record<string, readonly Panel[]>> => ({
  Controller: SERVED.controller.map(panelOf),
  Webhook: SERVED.webhook.map(panelOf),
  Processes: nodePanels(),
})

/** The dashboard as Grafana reads it. */
export function dashboard(): object {
  const panels: object[] = []
  let y = 0
  for (const [title, members] of Object.entries(dashboardPanels())) {
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: 24, h: 1 } })
    y += 1
    for (const [index, member] of members.entries()) {
      const gridPos = { ...SIZE, x: SIZE.w * (index % COLUMNS), y: y + SIZE.h * Math.floor(index / COLUMNS) }
      panels.push({ id: panels.length + 1, ...timeSeries(member), gridPos })
    }
    y += SIZE.h * Math.ceil(members.length / COLUMNS)
  }
  return {
    uid: 'experiment-deployment-ctl',
    title: 'Experiment Deployment Controller',
    tags: ['kubernetes'],
    schemaVersion: 39,
    editable: false,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: VARIABLES },
    panels,
  }
}

const VARIABLES = [
  { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
  {
    name: 'namespace',
    label: 'Namespace of the installation',
    type: 'query',
    datasource: SOURCE,
    query: 'label_values(experiment_controller_leader, namespace)',
    refresh: 2, // when the time range changes
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  },
]

const timeSeries = ({ title, description, unit, lines }: Panel): object => ({
  type: 'timeseries',
  title,
  description,
  datasource: SOURCE,
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: lines.map(({ expr, legend }, index) => ({
    refId: 'ABC'.charAt(index),
    datasource: SOURCE,
    expr,
    legendFormat: legend,
  })),
})

const COMMENT = `# A dashboard, as the sidecar of Grafana takes it. Generated from the tables of metrics by \`npm run generate\`.
`

/** The ConfigMap with the dashboard. */
export const dashboardManifest = (): string =>
  `${COMMENT}${stringify(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'experiment-deployment-controller-dashboard',
        namespace: 'experiment-controller-system',
        labels: { 'app.kubernetes.io/part-of': 'experiment-deployment-controller', grafana_dashboard: '1' },
      },
      data: { 'experiment-deployment-controller.json': `${JSON.stringify(dashboard(), undefined, 1)}\n` },
    },
    { lineWidth: 0 },
  )}`
