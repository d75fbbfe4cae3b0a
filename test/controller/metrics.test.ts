import { expect } from 'chai'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { Metrics } from '../../common/program/metrics.ts'
import { controllerMetrics, METRIC_PREFIX, METRICS, type Measured } from '../../controller/metrics.ts'
import { anExperiment } from '../builders.ts'
import { aRun } from './analysis/a-run.ts'
import { ready } from './ready-condition.ts'

function measured(experiments: readonly ExperimentDeployment[] = []): Measured {
  const reflector = { hasSynced: true, size: 7, silentMs: 3_000 }
  return {
    clock: () => new Date('2026-11-22T13:00:00Z'),
    queue: { depth: 2 },
    breaker: { isOpen: true },
    workers: { busy: 1, longestMs: 1_500 },
    experiments: () => experiments,
    reflectors: [
      { name: 'services', reflector },
      { name: 'rollouts', reflector: { ...reflector, size: 0, silentMs: undefined } },
    ],
    recorder: { droppedCount: 4 },
    policies: { violating: (action) => ({ Deny: 5, Warn: 0, Audit: 2 })[action], mistakes: () => 6 },
    orphans: { count: 8, services: 9, held: 10, sources: 11, smaller: 12 },
    analysis: { runs: () => [aRun()], waiting: () => 3, lagMs: () => 2_500 },
    leader: { held: () => true, leaseAgeSeconds: 1.25 },
  }
}

/** What a scrape returns, without comments. */
async function scraped(
  of: Measured,
  count: (counters: ReturnType<typeof controllerMetrics>) => void = () => undefined,
) {
  const metrics = new Metrics()
  const counters = controllerMetrics(metrics)
  counters.measure(of)
  count(counters)
  const text = await metrics.text()
  return text.split('\n').flatMap((line) => (line.startsWith(METRIC_PREFIX) ? line.slice(METRIC_PREFIX.length) : []))
}

const everything = (counters: ReturnType<typeof controllerMetrics>) => {
  counters.passed('Deployment', 'done', 0.02)
  counters.sent({ verb: 'apply', resource: 'deployments', code: '200', isFromApiServer: true, seconds: 0.1 })
  counters.repaired({ kind: 'Deployment' })
  counters.moved({ kind: 'Deployment', reason: 'StepCompleted' })
  counters.promoted({ kind: 'Deployment', mode: 'Manual', outcome: 'undone' })
  counters.reflectorFailed({ resource: 'services', cause: 'gone' })
  counters.sourceLeftSmall({ outcome: 'returned' })
  counters.handlerFailed()
  counters.queue.added()
  counters.queue.retried()
  counters.queue.waited(3)
  counters.analysis.polled('Prometheus', 'data', 0.2)
  counters.analysis.recorded('counted', 2)
}

describe('the metrics of the controller', () => {
  it('are what happened, and what is so at the scrape', async () => {
    const failing = anExperiment({ status: { conditions: [ready('False', 'ApplyRefused')] } })
    expect(await scraped(measured([failing]), everything)).to.include.members([
      'experiments{kind="Deployment",ready="False",reason="ApplyRefused"} 1',
      'longest_not_ready_seconds{kind="Deployment",reason="ApplyRefused"} 3600',
      'reconcile_total{kind="Deployment",outcome="done"} 1',
      'reconcile_seconds_sum{kind="Deployment"} 0.02',
      'kube_requests_total{verb="apply",resource="deployments",code="200"} 1',
      'kube_request_seconds_bucket{le="0.1",verb="apply",resource="deployments"} 1',
      'drift_repairs_total{kind="Deployment"} 1',
      'run_moves_total{kind="Deployment",reason="StepCompleted"} 1',
      'promotions_total{kind="Deployment",mode="Manual",outcome="undone"} 1',
      'reflector_restarts_total{resource="services",cause="gone"} 1',
      'reflector_synced{resource="rollouts"} 1',
      'reflector_objects{resource="services"} 7',
      'reflector_event_age_seconds{resource="services"} 3',
      'handler_errors_total 1',
      'queue_depth 2',
      'queue_adds_total 1',
      'queue_retries_total 1',
      'queue_wait_seconds_sum 3',
      'workers_busy 1',
      'longest_reconcile_seconds 1.5',
      'paused 1',
      'events_dropped_total 4',
      'policy_violations{action="Audit"} 2',
      'policy_violations{action="Deny"} 5',
      'policy_violations{action="Warn"} 0',
      'policy_mistakes 6',
      'orphaned_forks 8',
      'orphaned_sources 11',
      'scaled_sources 12',
      'sources_left_small_total{outcome="returned"} 1',
      'analysis_polls_total{type="Prometheus",outcome="data"} 1',
      'analysis_runs{verdict="Wait"} 1',
      'leader 1',
      'lease_age_seconds 1.25',
    ])
  })

  it('have as many series with 1,000 experiments as with 10, whatever somebody writes into their status', async () => {
    const namesOf = async (count: number) => {
      const experiments = Array.from({ length: count }, (_, index) =>
        anExperiment({
          metadata: { name: `each-${index}` },
          status: { conditions: [ready('False', `Hostile${index}`)] },
        }),
      )
      return (await scraped(measured(experiments), everything)).map((line) => line.split(' ')[0])
    }
    expect(await namesOf(1_000)).to.deep.equal(await namesOf(10))
  })

  it('are those of the table', async () => {
    const metrics = new Metrics()
    controllerMetrics(metrics).measure(measured([anExperiment()]))
    const text = await metrics.text()
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type])
    expect(Object.fromEntries(types)).to.deep.equal(
      Object.fromEntries(Object.entries(METRICS).map(([name, { is }]) => [`${METRIC_PREFIX}${name}`, is])),
    )
  })
})
