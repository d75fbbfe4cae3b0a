import type { AnalysisRun, AnalysisRunStatus } from '../../../common/analysis/kinds/run.ts'
import type { Metric } from '../../../common/api/analysis/metric.ts'
import { UID } from '../../builders.ts'

/** A metric that asks the provider `prom`. */
export const ERRORS: Metric = {
  name: 'errors',
  kind: 'ErrorRate',
  provider: 'prom',
  dryRun: false,
  prometheus: { events: 'http_errors_total', total: 'http_requests_total' },
}

/** A metric that asks Kubernetes. */
export const HEALTH_METRIC: Metric = { name: 'health', kind: 'Health', provider: 'kubernetes', dryRun: false }

interface RunOf {
  readonly name?: string
  readonly uid?: string
  readonly experiment?: Partial<AnalysisRun['spec']['experiment']>
  readonly metrics?: readonly Metric[]
  readonly subject?: string
  readonly createdAt?: string
  readonly status?: Partial<AnalysisRunStatus>
}

const AT = '2026-11-21T12:00:00.000Z'

/** A run of `faster-cart` whose windows begin on the full minute. It has no status unless one is given. */
export const aRun = ({ name = 'run-1', uid = `uid-of-${name}`, ...of }: RunOf = {}): AnalysisRun => ({
  metadata: { name, namespace: 'shop', uid, resourceVersion: '7', creationTimestamp: of.createdAt ?? AT },
  spec: {
    experiment: { name: 'faster-cart', uid: UID, generation: 1, ...of.experiment },
    subject: of.subject ?? '0000000000',
    ...{ attempt: 1, control: 'Source', alpha: 0.025, beta: 0.05, minSamples: 50 },
    metrics: of.metrics ?? [ERRORS],
  },
  ...(of.status ? { status: { ...WAITING, ...of.status } } : {}),
})

const WAITING: AnalysisRunStatus = {
  ...{ verdict: 'Wait', reason: 'Measuring', message: 'no data yet', since: AT, looks: 1, requests: 0 },
  windows: { counted: 0, empty: 0, unusable: 0, skipped: 0 },
}
