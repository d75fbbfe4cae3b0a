import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseAllDocuments, parseDocument } from 'yaml'
import type { KubeObject } from '../../common/api/object.ts'
import { at, listOr } from '../../common/json/json.ts'
import { Metrics } from '../../common/program/metrics.ts'
import { LIMITS_MS } from '../../controller/liveness.ts'
import { RECONCILE_LIMIT_MS } from '../../controller/runtime/worker.ts'
import { ALERTS, alertManifest } from '../../crds/monitoring/alerts.ts'
import { dashboard, dashboardManifest, dashboardPanels } from '../../crds/monitoring/dashboard.ts'
import { NODE_PREFIXES, SERVED } from '../../crds/monitoring/metrics.ts'
import { metricsPage } from '../../crds/monitoring/page.ts'
import { pageOf } from '../../crds/monitoring/sections.ts'
import { shipped, shippedOne } from '../manifests/shipped.ts'
import { labelsByMetric, misused, type Series } from './promql.ts'

const METRICS = Object.values(SERVED).flat()

/** What the monitor adds to each series that it scrapes from a pod. */
const OF_TARGET = ['namespace', 'pod', 'container', 'job', 'instance']

/** Served by the API server, whose documentation of metrics names these labels, and made by Prometheus itself. */
const FOREIGN: Series = {
  apiserver_admission_webhook_rejection_count: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
  up: [],
}

/** Every series that exists in a cluster with our programs, with its labels. */
async function allSeries(): Promise<Series> {
  const node = new Metrics()
  for (const prefix of Object.values(NODE_PREFIXES)) node.addNode(prefix)
  const ofNode = labelsByMetric(await node.text())
  const ours = METRICS.flatMap(({ name, is, labels = [] }) =>
    is === 'histogram'
      ? [
          [`${name}_bucket`, [...labels, 'le']],
          [`${name}_sum`, labels],
          [`${name}_count`, labels],
        ]
      : [[name, labels]],
  )
  const all: Series = { ...ofNode, ...Object.fromEntries(ours), ...FOREIGN }
  return Object.fromEntries(Object.entries(all).map(([name, labels]) => [name, [...labels, ...OF_TARGET]]))
}

const panels = () => Object.values(dashboardPanels()).flat()

describe('the monitoring', () => {
  describe('the check of expressions', () => {
    const series = { hits: ['code'], waits_bucket: ['le'] }
    const cases: Readonly<Record<string, readonly string[]>> = {
      'sum by (code) (rate(hits{code="404"}[5m])) > 0': [],
      'histogram_quantile(0.99, sum by (le) (rate(waits_bucket[5m])))': [],
      'hits unless hits offset 5m and on (code) (hits offset 5m == 1)': [],
      'hits and on (verb) hits': ['verb'],
      'sum(misses)': ['misses'],
      'hits{verb="get"}': ['verb of hits'],
      'sum by (verb) (hits)': ['verb'],
      '(hits{code="404"}': ['unbalanced'],
      'frobnicate(hits)': ['frobnicate'],
    }
    for (const [expr, found] of Object.entries(cases))
      it(`finds ${found.join() || 'nothing'} in ${expr}`, () => expect(misused(expr, series)).to.deep.equal(found))
  })

  it('has alerts that name only metrics and labels that are served', async () => {
    const series = await allSeries()
    for (const [name, { expr }] of Object.entries(ALERTS)) expect(misused(expr, series), name).to.deep.equal([])
  })

  it('has panels that name only metrics and labels that are served', async () => {
    const series = await allSeries()
    for (const { title, lines } of panels())
      for (const { expr, legend } of lines) {
        expect(misused(expr, series), title).to.deep.equal([])
        for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(expr, title).to.contain(label)
      }
  })

  it('has a panel for every metric', () => {
    const drawn = panels().flatMap(({ lines }) => lines.map(({ expr }) => expr))
    const missing = METRICS.filter(
      ({ name }) => !drawn.some((expr) => new RegExp(`\\b${name}(_bucket)?\\{`).test(expr)),
    )
    expect(missing).to.deep.equal([])
    expect(panels().length).to.be.greaterThan(METRICS.length)
  })

  describe('for several installations', () => {
    const exprOf = (name: string) => panels().find(({ title }) => title === name)?.lines[0]?.expr
    const gauges = METRICS.filter(({ is }) => is === 'gauge')
    const isAdded = ({ name }: { readonly name: string }) => exprOf(name)?.startsWith('sum by (') === true

    it('adds up the counts, of which each is the largest of its replicas', () => {
      expect(exprOf('experiment_controller_experiments')).to.equal(
        'sum by (kind, ready, reason) (max by (namespace, kind, ready, reason) (experiment_controller_experiments{namespace=~"$namespace"}))',
      )
      expect(exprOf('experiment_controller_queue_depth')).to.equal(
        'sum by () (max by (namespace) (experiment_controller_queue_depth{namespace=~"$namespace"}))',
      )
    })

    it('shows the worst time or state, the largest cache, and once what all of them count', () => {
      const shown = gauges.filter((metric) => !isAdded(metric)).map(({ name }) => name)
      expect(shown.filter((name) => !name.endsWith('_seconds'))).to.deep.equal([
        'experiment_controller_reflector_synced',
        'experiment_controller_reflector_objects',
        'experiment_controller_paused',
        'experiment_controller_policy_mistakes',
        'experiment_webhook_path_secrets',
      ])
      expect(gauges.filter(isAdded).filter(({ name }) => name.endsWith('_seconds'))).to.deep.equal([])
    })
  })

  it('asks only for values of labels that the code sets', () => {
    const code = globSync('{common,controller,webhook}/**/*.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const asked = Object.values(ALERTS).flatMap(({ expr }) =>
      /apiserver_/.test(expr)
        ? []
        : [...expr.matchAll(/=~?"([^"]+)"/g)].flatMap(([, values = '']) => values.split('|')),
    )
    expect(asked).to.include('timedOut')
    const unknown = asked.filter((value) => !/^\d+$/.test(value) && !code.includes(`'${value}'`))
    expect(unknown).to.deep.equal([])
  })

  it('tells of a pass that was not aborted, before the container is restarted for it', () => {
    const { expr, for: pending } = ALERTS.ExperimentControllerPassStuck ?? {}
    const thresholdMs = Number(/ > (\d+)$/.exec(expr ?? '')?.[1]) * 1_000
    const pendingMs = Number.parseInt(pending ?? '0', 10) * 60_000
    expect(thresholdMs).to.be.greaterThan(RECONCILE_LIMIT_MS)
    expect(thresholdMs + pendingMs).to.be.lessThan(LIMITS_MS.pass)
    expect(expr).to.contain('max_over_time(') // the restart begins the series again
  })

  it('labels alerts only with what their expression keeps', () => {
    for (const [name, { expr, summary, description }] of Object.entries(ALERTS)) {
      const kept = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/,\s*/))
      for (const [, label = ''] of `${summary}${description}`.matchAll(/\$labels\.(\w+)/g))
        expect(kept, name).to.include(label)
    }
  })

  it('says of each alert in whole sentences what it is and what to do, and where more is said', () => {
    const rules = listOr(at(listOr(at(parseDocument(alertManifest()).toJS(), 'spec', 'groups'))[0], 'rules'))
    expect(rules.length).to.equal(Object.keys(ALERTS).length)
    for (const [name, { summary, description, remedy, section, severity }] of Object.entries(ALERTS)) {
      for (const text of [summary, description, remedy]) expect(text, name).to.match(/^[A-Za-z{].*\.$/)
      expect(readFileSync(pageOf(section), 'utf8'), name).to.match(new RegExp(`^#{2,4} ${section}$`, 'm'))
      expect(metricsPage()).to.contain(`| \`${name}\` | ${severity} |`)
    }
    expect(JSON.stringify(rules)).to.not.match(/https?:/)
  })

  it('scrapes the port of each program that serves its metrics', () => {
    for (const program of ['controller', 'webhook'] as const) {
      const monitor = shippedOne('monitoring', 'PodMonitor', `experiment-${program}`)
      const workload = shippedOne('base', 'Deployment', `experiment-${program}`)
      expect(monitor.metadata.namespace).to.equal(workload.metadata.namespace)
      expect(at(monitor, 'spec', 'selector')).to.deep.equal(at(workload, 'spec', 'selector'))
      const port = at(listOr(at(monitor, 'spec', 'podMetricsEndpoints'))[0], 'port')
      const containers = JSON.stringify(at(workload, 'spec', 'template', 'spec', 'containers'))
      expect(containers).to.contain(`"livenessProbe":{"httpGet":{"path":"/livez","port":"${port}"}`)
      const network = shippedOne('base', 'NetworkPolicy', `experiment-${program}`)
      const [, number] = new RegExp(`"name":"${port}","containerPort":(\\d+)`).exec(containers) ?? []
      expect(JSON.stringify(listOr(at(network, 'spec', 'ingress')).at(-1))).to.contain(`"port":${number}`)
    }
  })

  it('has a dashboard that Grafana can load: ids and places are unique, and the sidecar finds it', () => {
    const [map] = parseAllDocuments(dashboardManifest()).map((document): KubeObject => document.toJS())
    expect(map?.metadata.labels).to.include({ grafana_dashboard: '1' })
    expect(JSON.parse(`${at(map, 'data', 'experiment-deployment-controller.json')}`)).to.deep.equal(dashboard())
    const drawn = listOr(at(dashboard(), 'panels'))
    for (const field of ['id', 'gridPos']) {
      const values = drawn.map((panel) => JSON.stringify(at(panel, field)))
      expect(new Set(values).size, field).to.equal(drawn.length)
    }
  })

  it('is installed whole by its kustomization', () => {
    const kinds = shipped('monitoring').map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(kinds.sort()).to.deep.equal([
      'ConfigMap experiment-deployment-controller-dashboard',
      'PodMonitor experiment-controller',
      'PodMonitor experiment-webhook',
      'PrometheusRule experiment-deployment-controller',
    ])
    const { resources } = parseDocument(readFileSync('manifests/monitoring/kustomization.yaml', 'utf8')).toJS()
    expect(globSync('manifests/monitoring/*.yaml').length).to.equal(resources.length + 1)
  })
})
