import type { AnalysisRun, RunMetric } from '../analysis/kinds/run.ts'
import type { ExperimentDeployment } from '../api/types.ts'
import { isObject } from '../json/json.ts'
import type { MetricView, ViewAnalysis } from './experiment-view.ts'
import { timeAt } from './members.ts'
import { text } from './text.ts'

/** What the status says of an analysis, and the numbers of its run where that was read; undefined without one. */
export function viewAnalysis({ status }: ExperimentDeployment, run: AnalysisRun | undefined): ViewAnalysis | undefined {
  const { analysis } = status ?? {}
  if (!analysis) return undefined
  return {
    ...(analysis.run === undefined ? {} : { run: text(analysis.run) }),
    ...beginningOf(run),
    verdict: text(analysis.verdict),
    reason: text(analysis.reason),
    message: text(analysis.message),
    metrics: (run?.status?.metrics ?? []).map(metricView),
  }
}

/** A metric without what its engine remembers. */
const metricView = ({ state: _state, memory: _memory, twin: _twin, ...metric }: RunMetric): MetricView =>
  withSafeTexts(metric)

/** `value` with all of its texts made safe. Its members, and so its depth, are those of the kind. */
function withSafeTexts<T>(value: T): T
function withSafeTexts(value: unknown): unknown {
  if (typeof value === 'string') return text(value)
  if (Array.isArray(value)) return value.map(withSafeTexts)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withSafeTexts(inner)]))
}

/** When the run was made, and what it has counted so far. */
function beginningOf(run: AnalysisRun | undefined): Pick<ViewAnalysis, 'createdAt' | 'looks' | 'requests'> {
  const createdAt = timeAt(run?.metadata, 'creationTimestamp')
  return {
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(run?.status === undefined ? {} : { looks: run.status.looks, requests: run.status.requests }),
  }
}
